import { retry } from '@octokit/plugin-retry';
import { Octokit } from '@octokit/rest';

/** Where debug lines go, for example a pino logger. */
export interface Log {
  debug(message: string): void;
  warn(message: string): void;
}

export interface Access {
  /** owner/name */
  readonly repository: string;
  readonly auth: { readonly token: string };
  /** Another host than api.github.com, for example https://github.example.com/api/v3. */
  readonly baseUrl?: string;
  readonly log?: Log;
}

/** Octokit for one repository, and the count of what it sent. */
export interface Client {
  readonly octokit: Octokit;
  readonly owner: string;
  readonly repo: string;
  /** owner/name, for messages. */
  readonly name: string;
  /** Requests sent since the start by method, and under `304` how many had not changed. */
  readonly requests: Record<string, number>;
}

/** https://docs.github.com/rest/about-the-rest-api/api-versions: what serin reads and writes is checked against this one. */
const apiVersion = '2022-11-28';
/** Asking again makes none of these better within one look; plugin-retry by itself would repeat 405, 409 and 429. */
const final = [400, 401, 403, 404, 405, 409, 410, 422, 429, 451];

const Retrying = Octokit.plugin(retry);

export function connect({ repository, auth, baseUrl, log }: Access): Client {
  const [owner = '', repo = ''] = repository.split('/');
  const requests: Record<string, number> = {};
  const octokit = new Retrying({
    auth: auth.token,
    userAgent: 'serin',
    ...(baseUrl === undefined ? {} : { baseUrl }),
    log: quiet(log),
    retry: { doNotRetry: final, retries: 1 },
    request: { fetch: counting(requests) },
  });
  octokit.hook.before('request', (options) => {
    options.headers['x-github-api-version'] = apiVersion;
    // A write whose answer was lost may have taken effect: the next look sees whether it did, so nothing repeats it blindly.
    if (options.method !== 'GET') options.request.retries = 0;
  });
  return { octokit, owner, repo, name: repository, requests };
}

/** Counts what goes out, repeated requests too. */
function counting(requests: Record<string, number>): typeof fetch {
  const add = (key: string) => {
    requests[key] = (requests[key] ?? 0) + 1;
  };
  return async (url, options) => {
    add(options?.method ?? 'GET');
    try {
      const response = await fetch(url, options);
      if (response.status === 304) add('304');
      return response;
    } catch (error) {
      // Octokit takes a signal's own reason for a failing server and would ask again; by this name it knows that the caller gave up.
      throw options?.signal?.aborted ? Object.assign(new Error('the caller gave up'), { name: 'AbortError' }) : error;
    }
  };
}

/** Octokit writes every status but 2xx as an error, 304 among them. What matters reaches people as a SerinError. */
function quiet(log: Log | undefined): { debug: Say; info: Say; warn: Say; error: Say } {
  const debug: Say = (message) => log?.debug(String(message));
  return { debug, info: debug, warn: (message) => log?.warn(String(message)), error: debug };
}

type Say = (message: unknown) => void;
