import type { Answer } from './host.ts';

/** Something that goes wrong, or happens in between, on the next requests for an operation. */
export interface Fault {
  /** Operation as GitHub's description names it, for example `pulls/create`. */
  readonly operation: string;
  /** How many requests it meets; one when nothing is said. */
  readonly times?: number;
  /** Done before anything else: a person who is quicker than we. */
  readonly first?: () => Promise<unknown>;
  /** Sent in place of the answer. `hang up` cuts the connection. */
  readonly answer?: Answer | 'hang up';
  /** Whether the operation takes effect before that answer is sent; it does not when nothing is said. */
  readonly effect?: boolean;
}

export class Faults {
  readonly #waiting: { fault: Fault; left: number }[] = [];

  add(fault: Fault): void {
    this.#waiting.push({ fault, left: fault.times ?? 1 });
  }

  take(operation: string): Fault | undefined {
    const found = this.#waiting.find((w) => w.left > 0 && w.fault.operation === operation);
    if (found === undefined) return undefined;
    found.left -= 1;
    return found.fault;
  }
}
