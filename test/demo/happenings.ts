import type { DemoEvent } from './events.ts';

/** What the story needed did not come. */
export class StoryError extends Error {}

/** A person or the system ended the demo: nobody is told that something was missing. */
export class Stopped extends Error {}

/** All that has happened so far, and a way to wait for more. */
export class Happenings {
  readonly #events: DemoEvent[] = [];
  #looks: (() => void)[] = [];

  get length(): number {
    return this.#events.length;
  }

  add(event: DemoEvent): void {
    this.#events.push(event);
    for (const look of this.#looks) look();
  }

  /**
   * Resolves with the first event from `from` on that is wanted.
   * @param unless an event after which it cannot come any more
   * @throws StoryError when it does not come within that many seconds, or `unless` comes first
   */
  until(
    what: string,
    wanted: (event: DemoEvent) => boolean,
    options: { from?: number; seconds: number; unless?: (event: DemoEvent) => boolean; signal: AbortSignal },
  ): Promise<DemoEvent> {
    const { promise, resolve, reject } = Promise.withResolvers<DemoEvent>();
    let seen = options.from ?? 0;
    const look = () => {
      for (; seen < this.#events.length; seen += 1) {
        const event = this.#events[seen] as DemoEvent;
        if (wanted(event)) return resolve(event);
        if (options.unless?.(event)) return reject(new StoryError(`${what}; instead: ${sentence(event)}`));
      }
    };
    const late = setTimeout(
      () => reject(new StoryError(`${what}, within ${options.seconds} s; the last word: ${this.#lastWord()}`)),
      options.seconds * 1000,
    );
    const stop = () => reject(options.signal.reason);
    options.signal.addEventListener('abort', stop, { once: true });
    this.#looks.push(look);
    look();
    return promise.finally(() => {
      clearTimeout(late);
      options.signal.removeEventListener('abort', stop);
      this.#looks = this.#looks.filter((other) => other !== look);
    });
  }

  #lastWord(): string {
    const last = this.#events.findLast((event) => 'because' in event || event.event === 'failed');
    return last === undefined ? 'none' : sentence(last);
  }
}

function sentence(event: DemoEvent): string {
  return 'because' in event ? event.because : event.event === 'failed' ? `${event.message} (${event.hint})` : event.event;
}
