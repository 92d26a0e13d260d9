import { type Answer, type Handler, type Host, notFound, now, ok, type Pull, refuse, signatureOf } from '../host.ts';
import { latestStatuses } from './commits.ts';
import { close, findPull } from './pulls.ts';

export const merge: Handler = async (host, call) => {
  const pull = await findPull(host, call);
  if (pull === undefined) return notFound();
  const { sha, merge_method: method = 'merge', commit_title, commit_message } = call.body ?? {};
  if (pull.state === 'closed') return refuse(405, 'Pull Request is not mergeable');
  if (sha !== undefined && sha !== pull.headSha) return refuse(409, 'Head branch was modified. Review and try the merge again.');
  const refused = mergeRefusal(host, pull, method);
  if (refused !== undefined) return refused;
  const base = await host.git.resolve(`heads/${pull.base}`, 'commit');
  const tree = base === undefined ? undefined : await host.git.mergeTree(base, pull.headSha);
  if (base === undefined || tree === undefined) return refuse(405, 'Pull Request is not mergeable');
  const by = signatureOf(call.login);
  const title =
    commit_title ??
    (method === 'merge' ? `Merge pull request #${pull.number} from ${host.owner}/${pull.branch}` : `${pull.title} (#${pull.number})`);
  const message = `${title}\n\n${commit_message ?? (method === 'merge' ? pull.title : (await host.git.commit(pull.headSha)).message)}`;
  const commit = await host.git.writeCommit({
    tree,
    parents: method === 'merge' ? [base, pull.headSha] : [base],
    author: by,
    committer: by,
    message,
  });
  try {
    await host.git.updateRef(`refs/heads/${pull.base}`, commit, base);
  } catch {
    return refuse(405, 'Base branch was modified. Review and try the merge again.');
  }
  close(pull);
  Object.assign(pull, { mergedAt: now(), mergedBy: call.login, mergeSha: commit });
  host.state.save();
  return ok({ sha: commit, merged: true, message: 'Pull Request successfully merged' });
};

function mergeRefusal(host: Host, pull: Pull, method: string): Answer | undefined {
  if (pull.draft) return refuse(405, 'Pull Request is still a draft');
  if (!host.allowedMerges.includes(method as 'merge'))
    return refuse(
      405,
      `${{ merge: 'Merge commits', squash: 'Squash merges', rebase: 'Rebase merges' }[method]} are not allowed on this repository.`,
    );
  const latest = latestStatuses(host, pull.headSha);
  for (const context of host.requiredContexts) {
    const state = latest.find((s) => s.context === context)?.state;
    if (state === undefined) return refuse(405, `Required status check "${context}" is expected.`);
    if (state !== 'success') return refuse(405, `Required status check "${context}" is ${state === 'pending' ? 'pending' : 'failing'}.`);
  }
  return undefined;
}
