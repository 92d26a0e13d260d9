import {
  created,
  type Handler,
  type Host,
  invalid,
  notFound,
  now,
  ok,
  type Pull,
  page,
  repository,
  repositoryUrl,
  type StoredComment,
  user,
} from '../host.ts';
import { label } from '../pull-body.ts';

function pullOf(host: Host, parameters: Readonly<Record<string, string>>): Pull | undefined {
  return host.state.all.pulls.find((p) => p.number === Number(parameters['issue_number']));
}

function commentBody(host: Host, { id, number, login, body, at }: StoredComment): object {
  const url = repositoryUrl(host);
  return {
    id,
    url: `${url}/issues/comments/${id}`,
    body,
    user: user(host, login),
    created_at: at,
    updated_at: at,
    issue_url: `${url}/issues/${number}`,
    author_association: 'COLLABORATOR',
  };
}

const createComment: Handler = (host, { parameters, body, login }) => {
  const pull = pullOf(host, parameters);
  if (pull === undefined) return notFound();
  if (body.body.length > 65_536) return invalid('IssueComment', 'body', 'body is too long (maximum is 65536 characters)');
  const comment = { id: host.state.next(), number: pull.number, login, body: body.body, at: now() };
  host.state.all.comments.push(comment);
  pull.updatedAt = now();
  host.state.save();
  return created(commentBody(host, comment));
};

const listComments: Handler = (host, call) => {
  const pull = pullOf(host, call.parameters);
  if (pull === undefined) return notFound();
  const comments = host.state.all.comments.filter((c) => c.number === pull.number);
  return page(
    host,
    call,
    `/issues/${pull.number}/comments`,
    comments.map((c) => commentBody(host, c)),
  );
};

const listLabels: Handler = (host, { parameters }) => {
  const pull = pullOf(host, parameters);
  return pull === undefined ? notFound() : ok((host.state.all.labels[pull.number] ?? []).map((name) => label(host, name)));
};

const addLabels: Handler = (host, call) => {
  const pull = pullOf(host, call.parameters);
  if (pull === undefined) return notFound();
  const given: readonly (string | { name: string })[] = call.body?.labels ?? [];
  const names = given.map((l) => (typeof l === 'string' ? l : l.name));
  host.state.all.labels[pull.number] = [...new Set([...(host.state.all.labels[pull.number] ?? []), ...names])];
  pull.updatedAt = now();
  host.state.save();
  return listLabels(host, call);
};

const getRepository: Handler = (host) => ok(repository(host));

export const issues: Readonly<Record<string, Handler>> = {
  'repos/get': getRepository,
  'issues/create-comment': createComment,
  'issues/list-comments': listComments,
  'issues/list-labels-on-issue': listLabels,
  'issues/add-labels': addLabels,
};
