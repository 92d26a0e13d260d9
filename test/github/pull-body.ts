import { type Host, type Pull, repository, repositoryUrl, user } from './host.ts';

/** A pull request as lists show it. */
export function simple(host: Host, pull: Pull): Record<string, unknown> {
  const url = `${repositoryUrl(host)}/pulls/${pull.number}`;
  const html = `${host.url}/${host.owner}/${host.name}/pull/${pull.number}`;
  const headOwner = pull.fork ?? host.owner;
  const link = { href: url };
  return {
    id: 1000 + pull.number,
    number: pull.number,
    url,
    html_url: html,
    state: pull.state,
    title: pull.title,
    body: pull.body,
    user: user(host, pull.login),
    labels: (host.state.all.labels[pull.number] ?? []).map((name) => label(host, name)),
    draft: pull.draft,
    created_at: pull.createdAt,
    updated_at: pull.updatedAt,
    closed_at: pull.closedAt,
    merged_at: pull.mergedAt,
    merge_commit_sha: pull.mergeSha,
    head: {
      label: `${headOwner}:${pull.branch}`,
      ref: pull.branch,
      sha: pull.headSha,
      user: user(host, headOwner),
      repo: repository(host, headOwner),
    },
    base: { label: `${host.owner}:${pull.base}`, ref: pull.base, sha: pull.baseSha, user: user(host, host.owner), repo: repository(host) },
    _links: {
      comments: link,
      commits: link,
      statuses: link,
      html: { href: html },
      issue: link,
      review_comments: link,
      review_comment: link,
      self: link,
    },
    author_association: 'COLLABORATOR',
    auto_merge: null,
  };
}

export function label(host: Host, name: string): object {
  return { name, url: `${repositoryUrl(host)}/labels/${encodeURIComponent(name)}`, color: 'ededed', description: null };
}

export async function full(host: Host, pull: Pull): Promise<object> {
  const changes = await host.git.changes(await host.git.mergeBase(pull.baseSha, pull.headSha), pull.headSha);
  const sum = (of: 'additions' | 'deletions') => changes.reduce((total, change) => total + change[of], 0);
  const mergeable = await mergeability(host, pull);
  return {
    ...simple(host, pull),
    merged: pull.mergedAt !== null,
    merged_by: pull.mergedBy === null ? null : user(host, pull.mergedBy),
    mergeable,
    mergeable_state: mergeable === null ? 'unknown' : mergeable ? 'clean' : 'dirty',
    comments: host.state.all.comments.filter((c) => c.number === pull.number).length,
    commits: await host.git.commitsBetween(pull.baseSha, pull.headSha),
    additions: sum('additions'),
    deletions: sum('deletions'),
    changed_files: changes.length,
  };
}

async function mergeability(host: Host, pull: Pull): Promise<boolean | null> {
  if (pull.state === 'closed') return null;
  const base = await host.git.resolve(`heads/${pull.base}`, 'commit');
  const pair = `${base} ${pull.headSha}`;
  if (base === undefined || pull.mergeabilityOf !== pair) {
    pull.mergeabilityOf = pair;
    return null;
  }
  return (await host.git.mergeTree(base, pull.headSha)) !== undefined;
}
