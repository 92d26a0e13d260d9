import { createHash } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Counter, type Counts } from './counts.ts';
import { type Fault, Faults } from './faults.ts';
import { BareRepository } from './git.ts';
import { type Answer, type Handler, type Host, ok, refuse, State } from './host.ts';
import { complete, find, type Operation, queryMistakes, requestMistakes, responseMistakes } from './openapi.ts';
import { commits } from './routes/commits.ts';
import { gitData } from './routes/git-data.ts';
import { issues } from './routes/issues.ts';
import { merge } from './routes/merge.ts';
import { pulls } from './routes/pulls.ts';

export interface EmulatorOptions {
  /** Where the bare repository and the file with pull requests lie. What is there already is opened. */
  readonly folder: string;
  /** owner/name */
  readonly repository: string;
  readonly host?: string;
  readonly port?: number;
  /** The token that serin uses. Without one every token will do. People come with `person-NAME` always. */
  readonly token?: string;
  /** Files of the first commit of a new repository. */
  readonly files?: Readonly<Record<string, string>>;
  /** Status contexts required before a merge. */
  readonly requiredContexts?: readonly string[];
  readonly allowedMerges?: readonly ('merge' | 'squash')[];
  /** Entries after which a recursive tree is cut. https://docs.github.com/rest/git/trees#get-a-tree says 100,000. */
  readonly treeLimit?: number;
}

/** GitHub's REST API, as far as serin calls it, over one real bare repository. */
export interface GitHubEmulator {
  /** baseUrl for Octokit. */
  readonly url: string;
  /** The bare repository. It may be pushed to and fetched from by git. */
  readonly repositoryFolder: string;
  counts(): Counts;
  resetCounts(): void;
  fault(fault: Fault): void;
  /** Requests that do not fit GitHub's description; each was answered 422. */
  violations(): readonly string[];
  /** @throws Error when one of the emulator's own answers did not fit GitHub's description */
  close(): Promise<void>;
}

const handlers: Readonly<Record<string, Handler>> = { ...gitData, ...commits, ...pulls, 'pulls/merge': merge, ...issues };

export async function startGitHub(options: EmulatorOptions): Promise<GitHubEmulator> {
  const [owner, name] = options.repository.split('/') as [string, string];
  await mkdir(join(options.folder, owner), { recursive: true });
  const repositoryFolder = join(options.folder, owner, `${name}.git`);
  const git = await BareRepository.open(repositoryFolder, options.files ?? { 'README.md': `# ${name}\n` });
  const server = createServer({ keepAliveTimeout: 5000 });
  await new Promise<void>((listening) => server.listen(options.port ?? 0, options.host ?? '127.0.0.1', listening));
  const { address, port } = server.address() as AddressInfo;
  const host: Host = {
    owner,
    name,
    url: `http://${address}:${port}`,
    git,
    state: new State(`${repositoryFolder}.json`),
    defaultBranch: 'main',
    requiredContexts: options.requiredContexts ?? [],
    treeLimit: options.treeLimit ?? 100_000,
    allowedMerges: options.allowedMerges ?? ['merge', 'squash'],
  };
  const desk = new Desk(host, options.token);
  server.on('request', (request, response) => void desk.serve(request, response));
  return {
    url: host.url,
    repositoryFolder,
    counts: () => desk.counter.read(),
    resetCounts: () => desk.counter.reset(),
    fault: (fault) => desk.faults.add(fault),
    violations: () => desk.violations,
    close: () => close(server, desk.mistakes),
  };
}

async function close(server: Server, mistakes: readonly string[]): Promise<void> {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
  if (mistakes.length > 0) throw new Error(`the emulator's answers do not fit GitHub's description:\n${mistakes.join('\n')}`);
}

/** Takes requests in: who asks, what for, is it well formed; and looks over each answer before it goes out. */
class Desk {
  readonly counter = new Counter();
  readonly faults = new Faults();
  readonly violations: string[] = [];
  readonly mistakes: string[] = [];
  readonly #host: Host;
  readonly #token: string | undefined;
  constructor(host: Host, token: string | undefined) {
    this.#host = host;
    this.#token = token;
  }

  async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.#host.url);
    const method = request.method ?? 'GET';
    const found = find(method, url.pathname);
    const token = /^(?:token|bearer) (.+)$/i.exec(request.headers.authorization ?? '')?.[1];
    const body = await read(request);
    if (found === undefined) {
      this.violations.push(`${method} ${url.pathname}: the emulator has no such operation`);
      return this.#send(response, undefined, refuse(404, 'Not Found'), '');
    }
    const { operation, parameters } = found;
    const fault = this.faults.take(operation.id);
    await fault?.first?.();
    const handle = () =>
      this.#answer(operation, {
        parameters,
        query: Object.fromEntries(url.searchParams),
        body,
        accept: request.headers.accept ?? '',
        token,
      });
    if (fault?.answer !== undefined) {
      if (fault.effect) await handle();
      if (fault.answer === 'hang up') return void request.socket.destroy();
      return this.#send(response, operation, fault.answer, '');
    }
    this.#send(response, operation, conditional(method, await handle(), request.headers['if-none-match'], token), url.href);
  }

  async #answer(
    operation: Operation,
    given: { parameters: Record<string, string>; query: Record<string, string>; body: string; accept: string; token: string | undefined },
  ): Promise<Answer> {
    const login = this.#login(given.token);
    if (login === undefined) return refuse(401, given.token === undefined ? 'Requires authentication' : 'Bad credentials');
    if (operation.id === 'rate-limit/get')
      return ok({ resources: { core: this.counter.limit(), search: this.counter.limit() }, rate: this.counter.limit() });
    const { owner, repo } = given.parameters;
    if (owner !== this.#host.owner || repo !== this.#host.name) return refuse(404, 'Not Found');
    const body = parse(given.body);
    const wrong =
      queryMistakes(operation, { ...given.query }) ?? (body === malformed ? 'Problems parsing JSON' : requestMistakes(operation, body));
    if (wrong !== undefined) {
      this.violations.push(`${operation.id}: ${wrong}`);
      return refuse(422, `Invalid request.\n\n${wrong}`);
    }
    try {
      const answer = await (handlers[operation.id] as Handler)(this.#host, { ...given, body, login });
      return answer.body === undefined ? answer : { ...answer, body: complete(operation, answer.status, answer.body, this.#host.url) };
    } catch (error) {
      this.mistakes.push(`${operation.id}: ${error instanceof Error ? error.stack : String(error)}`);
      return refuse(500, 'Server Error');
    }
  }

  #login(token: string | undefined): string | undefined {
    if (token?.startsWith('person-')) return token.slice('person-'.length);
    if (token === undefined || (this.#token !== undefined && token !== this.#token)) return undefined;
    return 'serin[bot]';
  }

  #send(response: ServerResponse, operation: Operation | undefined, answer: Answer, checked: string): void {
    const { status, body, text } = answer;
    const wrong =
      operation === undefined || checked === '' || text !== undefined || status === 500
        ? undefined
        : responseMistakes(operation, status, body);
    if (wrong !== undefined) this.mistakes.push(`${operation?.id} ${status}: ${wrong}`);
    if (operation !== undefined) this.counter.count(operation, status);
    const payload = text ?? (body === undefined ? '' : JSON.stringify(body));
    const type = payload === '' ? {} : { 'content-type': 'application/json; charset=utf-8' };
    response.writeHead(status, { ...type, ...this.counter.headers(), 'x-github-request-id': 'EMULATED', ...answer.headers });
    response.end(payload);
  }
}

/** An ETag for every answer to a GET, and 304 where the caller has it. ETags hold for one token only, as GitHub's do. */
function conditional(method: string, answer: Answer, known: string | undefined, token: string | undefined): Answer {
  if (method !== 'GET' || answer.status !== 200) return answer;
  const digest = createHash('sha256')
    .update(`${token}\n${JSON.stringify(answer.body)}`)
    .digest('hex');
  const etag = answer.headers?.['etag'] ?? `W/"${digest}"`;
  const headers = { ...answer.headers, etag };
  const strong = (tag: string) => tag.trim().replace(/^W\//, '');
  return known !== undefined && known.split(',').map(strong).includes(strong(etag))
    ? { status: 304, headers: { etag } }
    : { ...answer, headers };
}

const malformed = Symbol('malformed');

function parse(body: string): unknown {
  if (body === '') return undefined;
  try {
    return JSON.parse(body);
  } catch {
    return malformed;
  }
}

async function read(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}
