/** Somebody who works with the repository through GitHub's REST API, by plain fetch: a second opinion beside Octokit. */
export interface Person {
  /** Commits whole texts (null deletes) onto a branch. @returns the new commit's SHA */
  commit(change: {
    files: Readonly<Record<string, string | null>>;
    message: string;
    branch?: string;
    author?: { name: string; email: string };
  }): Promise<string>;
  /** @returns the merge commit's SHA */
  mergePullRequest(number: number, method?: 'merge' | 'squash'): Promise<string>;
  closePullRequest(number: number): Promise<void>;
  openPullRequest(request: { branch: string; title: string; base?: string }): Promise<number>;
  pullRequests(state?: 'open' | 'closed' | 'all'): Promise<readonly SeenPullRequest[]>;
  /** What a pull request changes, file by file, as unified diff without headers. */
  files(number: number): Promise<readonly { filename: string; status: string; patch: string }[]>;
  comments(number: number): Promise<readonly string[]>;
  statuses(sha: string): Promise<readonly { context: string; state: string; description: string | null }[]>;
  read(path: string, ref?: string): Promise<string>;
  createBranch(branch: string, sha: string): Promise<void>;
  deleteBranch(branch: string): Promise<void>;
  /** Anything else. @throws Error with the status and message of a refusal */
  request(method: string, path: string, body?: unknown): Promise<unknown>;
}

export interface SeenPullRequest {
  readonly number: number;
  readonly title: string;
  readonly body: string | null;
  readonly state: 'open' | 'closed';
  readonly merged_at: string | null;
  readonly html_url: string;
  readonly head: { readonly ref: string; readonly sha: string };
}

/** @param name login of the person; the emulator knows everybody by the token person-NAME */
export function person({ url, repository, name = 'mia' }: { url: string; repository: string; name?: string }): Person {
  const request = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const response = await fetch(`${url}/repos/${repository}${path}`, {
      method,
      headers: { authorization: `Bearer person-${name}`, 'content-type': 'application/json', 'x-github-api-version': '2022-11-28' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    request,
    commit: (change) => commit(request, change),
    mergePullRequest: async (number, method = 'merge') =>
      ((await request('PUT', `/pulls/${number}/merge`, { merge_method: method })) as { sha: string }).sha,
    closePullRequest: async (number) => void (await request('PATCH', `/pulls/${number}`, { state: 'closed' })),
    openPullRequest: async ({ branch, title, base = 'main' }) =>
      ((await request('POST', '/pulls', { head: branch, base, title })) as { number: number }).number,
    pullRequests: async (state = 'open') => (await request('GET', `/pulls?state=${state}&per_page=100`)) as SeenPullRequest[],
    files: async (number) => (await request('GET', `/pulls/${number}/files`)) as { filename: string; status: string; patch: string }[],
    comments: async (number) => ((await request('GET', `/issues/${number}/comments`)) as { body: string }[]).map((c) => c.body),
    statuses: async (sha) => ((await request('GET', `/commits/${sha}/status`)) as { statuses: [] }).statuses,
    read: async (path, ref = 'main') =>
      Buffer.from(
        ((await request('GET', `/contents/${path}?ref=${encodeURIComponent(ref)}`)) as { content: string }).content,
        'base64',
      ).toString(),
    createBranch: async (branch, sha) => void (await request('POST', '/git/refs', { ref: `refs/heads/${branch}`, sha })),
    deleteBranch: async (branch) => void (await request('DELETE', `/git/refs/heads/${branch}`)),
  };
}

type Request = Person['request'];

async function commit(request: Request, { files, message, branch = 'main', author }: Parameters<Person['commit']>[0]): Promise<string> {
  const ref = (await request('GET', `/git/ref/heads/${branch}`)) as { object: { sha: string } };
  const parent = (await request('GET', `/git/commits/${ref.object.sha}`)) as { tree: { sha: string } };
  const entries = Object.entries(files).map(([path, content]) => ({
    path,
    mode: '100644',
    type: 'blob',
    ...(content === null ? { sha: null } : { content }),
  }));
  const tree = (await request('POST', '/git/trees', { base_tree: parent.tree.sha, tree: entries })) as { sha: string };
  const made = (await request('POST', '/git/commits', {
    message,
    tree: tree.sha,
    parents: [ref.object.sha],
    ...(author === undefined ? {} : { author }),
  })) as { sha: string };
  await request('PATCH', `/git/refs/heads/${branch}`, { sha: made.sha });
  return made.sha;
}
