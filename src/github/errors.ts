import { type Retry, SerinError } from '../errors.ts';
import { type Instant, instant, iso } from '../units.ts';

/** GitHub wants no more requests for now. The look ends with what it has; nobody sleeps in paid time. */
export class RateLimitError extends SerinError {
  override readonly name = 'RateLimitError';
  /** The first moment at which GitHub will answer again. */
  readonly notBefore: Instant;
  constructor(doing: string, notBefore: Instant) {
    super('E_RATE_LIMIT', `${doing}: GitHub's rate limit is used up, not before ${iso(notBefore)}`, {
      hint: 'the next run after that moment carries on; a GitHub App has a larger limit than a token',
      retry: 'next run',
    });
    this.notBefore = notBefore;
  }
}

/** What Octokit throws for every status but 2xx; without a response when none came. */
interface HttpError extends Error {
  readonly status: number;
  readonly response?: { readonly headers: Headers; readonly data: unknown };
}

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && error.name === 'HttpError' && 'status' in error;
}

/** The status of an answer that GitHub gave, or undefined when the error is another one. Octokit throws 304 as well. */
export function statusOf(error: unknown): number | undefined {
  return isHttpError(error) ? error.status : undefined;
}

/** What GitHub said, in one line: its message and those of its single errors. */
export function saidBy(error: unknown): string {
  if (!isHttpError(error)) return error instanceof Error ? error.message : String(error);
  const data = error.response?.data as
    | { message?: string; errors?: readonly ({ message?: string; field?: string; code?: string } | string)[] }
    | undefined;
  const single = (data?.errors ?? []).map((e) => (typeof e === 'string' ? e : (e.message ?? [e.field, e.code].filter(Boolean).join(' '))));
  return [data?.message ?? 'no message', ...single].join(': ');
}

/**
 * The error as a colleague would tell it. Neither the token nor any header goes into it.
 * @param doing what was asked for, for example "read main of acme/deploy"
 * @throws the signal's own reason when the caller gave up
 */
export function explain(error: unknown, doing: string, signal: AbortSignal): SerinError {
  if (signal.aborted) throw signal.reason;
  if (error instanceof SerinError) return error;
  const status = statusOf(error);
  if (!isHttpError(error) || status === undefined || error.response === undefined) return unreachable(doing, error);
  const limited = notBefore(status, error.response.headers);
  if (limited !== undefined) return new RateLimitError(doing, limited);
  const { code, hint, retry } = meaning(status, error.response.headers);
  return new SerinError(code, `${doing}: GitHub answered ${status}: ${saidBy(error)}`, { hint, retry, cause: plainCause(error) });
}

function unreachable(doing: string, error: unknown): SerinError {
  return new SerinError('E_GITHUB_UNREACHABLE', `${doing}: no answer from GitHub`, {
    hint: 'check the network and the base URL; the next run tries again',
    retry: 'next run',
    cause: plainCause(error),
  });
}

/** Octokit's errors carry the whole request, headers and all; only their words are kept. */
function plainCause(error: unknown): string {
  return error instanceof Error ? `${error.name}: ${error.message}` : String(error);
}

function meaning(status: number, headers: Headers): { code: `E_${string}`; hint: string; retry: Retry } {
  const needed = headers['x-accepted-github-permissions'];
  const permissions = needed === undefined ? 'contents: write, pull requests: write and commit statuses: write' : needed;
  if (status === 401) return { code: 'E_GITHUB_AUTH', hint: 'the token is wrong, expired or revoked: give a fresh one', retry: 'never' };
  if (status === 403) return { code: 'E_GITHUB_FORBIDDEN', hint: `the token lacks a permission; needed: ${permissions}`, retry: 'never' };
  if (status === 404)
    return {
      code: 'E_GITHUB_NOT_FOUND',
      hint: `either it is not there, or the token may not see it; needed: ${permissions}`,
      retry: 'never',
    };
  if (status === 409) return { code: 'E_CONFLICT', hint: 'somebody was quicker; the next look sees what they did', retry: 'next run' };
  if (status >= 500)
    return { code: 'E_GITHUB_DOWN', hint: 'https://www.githubstatus.com tells more; the next run tries again', retry: 'next run' };
  return { code: 'E_GITHUB_REFUSED', hint: 'GitHub does not take this request as it is: read its words above', retry: 'never' };
}

type Headers = Readonly<Record<string, string | number | undefined>>;

/**
 * When a refusal is a rate limit: the moment that it ends.
 * @see https://docs.github.com/rest/using-the-rest-api/rate-limits-for-the-rest-api#exceeding-the-rate-limit
 */
function notBefore(status: number, headers: Headers): Instant | undefined {
  if (status !== 403 && status !== 429) return undefined;
  const wait = headers['retry-after'];
  const spent = String(headers['x-ratelimit-remaining']) === '0';
  if (wait === undefined && !spent && status === 403) return undefined;
  const reset = Number(headers['x-ratelimit-reset']);
  if (wait === undefined && spent && reset > 0) return reset as Instant;
  const asked = Number(wait);
  // The documentation asks for a minute at least where GitHub names no time.
  const delay = Number.isFinite(asked) && wait !== undefined ? asked : 60;
  return (now(headers) + delay) as Instant;
}

/** GitHub's clock, from the answer itself. */
function now(headers: Headers): Instant {
  const date = headers['date'];
  return typeof date === 'string' ? instant(date) : (Math.floor(Date.now() / 1000) as Instant);
}
