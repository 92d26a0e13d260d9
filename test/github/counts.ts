import type { Operation } from './openapi.ts';

/** Requests since the start or the last reset. */
export interface Counts {
  readonly requests: number;
  /** Answers of 304, which cost no quota. */
  readonly notModified: number;
  /** What GitHub's primary limit would have been charged: everything but 304 and the look at the limit itself. */
  readonly points: number;
  /** By operation and status, for example `pulls/list` -> `304` -> 12. */
  readonly operations: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

/** An hour's quota of a token or an App. https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api */
const limit = 5000;

export class Counter {
  #operations: Record<string, Record<string, number>> = {};
  #points = 0;
  /** What the limit headers go by: it is not reset with the counts. */
  #used = 0;
  readonly #reset = Math.floor(Date.now() / 1000) + 3600;

  count(operation: Operation, status: number): void {
    const statuses = (this.#operations[operation.id] ??= {});
    statuses[status] = (statuses[status] ?? 0) + 1;
    if (status === 304 || operation.id === 'rate-limit/get') return;
    this.#points += 1;
    this.#used += 1;
  }

  read(): Counts {
    const numbers = Object.values(this.#operations).flatMap((statuses) => Object.entries(statuses));
    const sum = (wanted: (status: string) => boolean) => numbers.reduce((total, [status, n]) => (wanted(status) ? total + n : total), 0);
    return {
      requests: sum(() => true),
      notModified: sum((status) => status === '304'),
      points: this.#points,
      operations: structuredClone(this.#operations),
    };
  }

  reset(): void {
    this.#operations = {};
    this.#points = 0;
  }

  limit(): { limit: number; used: number; remaining: number; reset: number; resource: string } {
    return { limit, used: this.#used, remaining: Math.max(0, limit - this.#used), reset: this.#reset, resource: 'core' };
  }

  headers(): Record<string, string> {
    return Object.fromEntries(Object.entries(this.limit()).map(([key, value]) => [`x-ratelimit-${key}`, String(value)]));
  }
}
