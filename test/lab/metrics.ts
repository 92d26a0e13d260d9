/** Upper bounds in seconds: the default buckets of Prometheus' client libraries. */
const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10] as const;

/** One container's request metrics, in Prometheus' text format 0.0.4. */
export class RequestMetrics {
  // Both codes are there from the start, so that an error share of nothing is 0 and not missing.
  readonly #requests = new Map<number, number>([
    [200, 0],
    [500, 0],
  ]);
  readonly #buckets: number[] = BUCKETS.map(() => 0);
  #sum = 0;
  #count = 0;

  observe(code: number, seconds: number): void {
    this.#requests.set(code, (this.#requests.get(code) ?? 0) + 1);
    for (const [index, bound] of BUCKETS.entries()) if (seconds <= bound) this.#buckets[index] = (this.#buckets[index] ?? 0) + 1;
    this.#sum += seconds;
    this.#count += 1;
  }

  text(): string {
    const requests = [...this.#requests].map(([code, count]) => `http_requests_total{code="${code}"} ${count}`);
    const buckets = BUCKETS.map((bound, index) => `http_request_duration_seconds_bucket{le="${bound}"} ${this.#buckets[index]}`);
    return `${[
      '# HELP http_requests_total Requests answered, by status code.',
      '# TYPE http_requests_total counter',
      ...requests,
      '# HELP http_request_duration_seconds Time from a request to its answer.',
      '# TYPE http_request_duration_seconds histogram',
      ...buckets,
      `http_request_duration_seconds_bucket{le="+Inf"} ${this.#count}`,
      `http_request_duration_seconds_sum ${this.#sum}`,
      `http_request_duration_seconds_count ${this.#count}`,
    ].join('\n')}\n`;
  }
}
