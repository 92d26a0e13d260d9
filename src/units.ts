/** Share of traffic in whole percent, 0..100. Only {@link percent} makes one, so it is never out of range. */
export type Percent = number & { readonly unit: 'percent' };
/** Whole seconds, zero or more. A plan is handed durations; it never reads a clock. */
export type Seconds = number & { readonly unit: 'seconds' };
/** A moment as whole seconds since 1970-01-01T00:00:00Z. Always a server's word, never this process's. */
export type Instant = number & { readonly unit: 'instant' };

/** @throws RangeError when the value is not a whole percent; a file never gets this far, src/desired has refused it. */
export function percent(value: number): Percent {
  if (!Number.isInteger(value) || value < 0 || value > 100) throw new RangeError(`a weight is a whole percent from 0 to 100, not ${value}`);
  return value as Percent;
}

/** @throws RangeError when the value is negative or not finite. Fractions are rounded up: nobody is looked at too early. */
export function seconds(value: number): Seconds {
  if (!Number.isFinite(value) || value < 0) throw new RangeError(`a duration is zero or more seconds, not ${value}`);
  return Math.ceil(value) as Seconds;
}

/** @param iso RFC 3339, for example 2026-11-20T14:02:11Z. @throws RangeError when it is no date. */
export function instant(iso: string): Instant {
  const milliseconds = Date.parse(iso);
  if (Number.isNaN(milliseconds)) throw new RangeError(`not an RFC 3339 time: ${iso}`);
  return Math.floor(milliseconds / 1000) as Instant;
}

/** The moment as RFC 3339 in UTC with whole seconds, as Kubernetes writes it. */
export function iso(at: Instant): string {
  return new Date(at * 1000).toISOString().replace('.000Z', 'Z');
}

/** Time from one moment to a later one; zero when they are out of order, as clocks of two servers may be. */
export function between(from: Instant, to: Instant): Seconds {
  return Math.max(0, to - from) as Seconds;
}

/** A duration as people write it: 45s, 10m, 1h30m, 2d. */
export function duration(value: Seconds): string {
  if (value === 0) return '0s';
  const parts: string[] = [];
  let rest: number = value;
  for (const [unit, size] of [
    ['d', 86_400],
    ['h', 3600],
    ['m', 60],
    ['s', 1],
  ] as const) {
    const count = Math.floor(rest / size);
    if (count > 0) parts.push(`${count}${unit}`);
    rest -= count * size;
  }
  return parts.join('');
}

/** Reads what {@link duration} writes. Undefined when the text is no duration. */
export function parseDuration(text: string): Seconds | undefined {
  if (!/^(\d+[dhms])+$/.test(text)) return undefined;
  const sizes: Record<string, number> = { d: 86_400, h: 3600, m: 60, s: 1 };
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)([dhms])/g)) total += Number(count) * (sizes[unit as string] as number);
  return total as Seconds;
}
