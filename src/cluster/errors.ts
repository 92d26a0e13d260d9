import { type Retry, SerinError } from '../errors.ts';
import type { Patch } from '../merge/types.ts';
import { at } from '../objects.ts';
import type { Answer } from './transport.ts';

/** What was asked of the API server, in its own words: for messages and for the RBAC rule that is missing. */
export interface Asked {
  readonly cluster: string;
  readonly verb: 'get' | 'list' | 'create' | 'patch' | 'delete';
  /** Deployment shop/web, or Deployment in namespace shop. */
  readonly what: string;
  readonly kind: string;
  /** Plural, with its group: deployments.apps. Absent for what is no resource. */
  readonly resource?: string;
  readonly patch?: Patch['type'];
}

/** The API server's refusal as an error. A Secret's values may be quoted in the server's words, so for Secrets only the reason is passed on. */
export function refusedBy(asked: Asked, answer: Answer): SerinError {
  const status = parsed(answer.text);
  const reason = word(status, 'reason') ?? `HTTP ${answer.status}`;
  const said = asked.kind === 'Secret' ? undefined : word(status, 'message');
  const message = `cannot ${asked.verb} ${asked.what} on ${asked.cluster}: ${reason}${said === undefined ? '' : `: ${said}`}`;
  const { code, hint, retry } = verdict(asked, isStaleJsonPatch(asked, answer.status, status) ? 409 : answer.status, status);
  return new SerinError(code, message, { hint, retry });
}

/** A JSON Patch with an operation that does not apply is a 422 that names no field: the object is not as it was when the patch was made. */
function isStaleJsonPatch({ patch }: Asked, code: number, status: unknown): boolean {
  return patch === 'json' && code === 422 && at(status, 'details', 'causes') === undefined;
}

interface Verdict {
  readonly code: `E_${string}`;
  readonly hint: string;
  readonly retry: Retry;
}

/** @see https://kubernetes.io/docs/reference/using-api/api-concepts/ and the reasons in k8s.io/apimachinery/pkg/apis/meta/v1 */
function verdict(asked: Asked, code: number, status: unknown): Verdict {
  switch (code) {
    case 401:
      return { code: 'E_UNAUTHORIZED', hint: 'the credentials were read again and refused again: renew them', retry: 'never' };
    case 403:
      return { code: 'E_FORBIDDEN', ...forbidden(asked, status) };
    case 404:
      return { code: 'E_NOT_FOUND', hint: missing(status), retry: 'next run' };
    case 409:
      return { code: 'E_CONFLICT', hint: 'somebody else changed it since it was read; the next run looks again', retry: 'next run' };
    case 400:
    case 415:
    case 422:
      return { code: 'E_INVALID', hint: `mend the manifest of ${asked.what}: the API server will refuse it each time`, retry: 'never' };
    case 429:
      return { code: 'E_TOO_MANY_REQUESTS', hint: 'the API server is busy; the next run tries again', retry: 'next run' };
    default:
      return {
        code: 'E_SERVER',
        hint: code >= 500 ? 'the API server is not well; the next run tries again' : 'this answer is not known to serin: please report it',
        retry: code >= 500 ? 'next run' : 'never',
      };
  }
}

/** 403 is the answer of authorization and of admission alike; only the words tell them apart. */
function forbidden({ verb, resource }: Asked, status: unknown): Omit<Verdict, 'code'> {
  const said = word(status, 'message') ?? '';
  if (at(status, 'details', 'causes', 0, 'reason') === 'NamespaceTerminating')
    return { hint: 'its namespace is being deleted', retry: 'next run' };
  if (said.includes('exceeded quota')) return { hint: "raise the namespace's ResourceQuota or ask for less", retry: 'next run' };
  if (!/ cannot \w+ (resource|path) /.test(said))
    return { hint: 'admission control refuses it: mend the manifest or the policy', retry: 'never' };
  if (resource === undefined) return { hint: 'let the user that serin runs as read it', retry: 'never' };
  const [plural, ...groups] = resource.split('.');
  return {
    hint: `RBAC: the user that serin runs as needs verb ${verb} on resource ${plural}, apiGroup "${groups.join('.')}"`,
    retry: 'never',
  };
}

function missing(status: unknown): string {
  const name = at(status, 'details', 'name');
  if (at(status, 'details', 'kind') === 'namespaces') return `namespace ${name} is not there yet: add it to the release or create it`;
  return 'it has gone since it was read; the next run looks again';
}

/** No answer at all. `cause` keeps the socket's or TLS's own error. */
export function connectionFailed(cluster: string, server: URL, method: string, cause: unknown, timeout: number): SerinError {
  const code = errorCode(cause);
  const place = `${cluster} (${server.origin})`;
  if (cause instanceof Error && (cause.name === 'TimeoutError' || /TIMEOUT|ETIMEDOUT/.test(code))) {
    const message = `${method} to ${place} got no answer within ${timeout / 1000} s`;
    return new SerinError('E_TIMEOUT', message, {
      hint: 'look whether the API server is slow or a firewall drops packets',
      retry: 'next run',
      cause,
    });
  }
  if (/CERT|TLS|SSL|SIGNED|LEAF_SIGNATURE/.test(code)) {
    const hint = "compare the kubeconfig's certificate-authority and client certificate with the server's";
    return new SerinError('E_TLS', `no trusted connection to ${place}: ${code}`, { hint, retry: 'never', cause });
  }
  return new SerinError('E_CONNECTION', `cannot reach ${place}: ${code || 'the connection broke'}`, {
    hint: 'look whether the API server runs and can be reached from here',
    retry: 'next run',
    cause,
  });
}

function errorCode(error: unknown): string {
  const code = at(error, 'code') ?? at(error, 'cause', 'code');
  return typeof code === 'string' ? code : '';
}

/** True for a 404 that names no object: it is the type that has gone, not one of its objects. */
export function isTypeGone(answer: Answer): boolean {
  return answer.status === 404 && at(parsed(answer.text), 'details', 'name') === undefined;
}

/** JSON, or undefined: a load balancer answers in HTML. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function word(status: unknown, field: string): string | undefined {
  const value = at(status, field);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
