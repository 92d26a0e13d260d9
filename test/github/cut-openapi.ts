/**
 * Cuts the operations that the emulator offers out of GitHub's OpenAPI description and writes them to openapi.generated.json.
 *
 *     folder=$(mktemp -d) && (cd "$folder" && npm pack @octokit/openapi@23.0.2 && tar xzf *.tgz package/generated/api.github.com.json)
 *     node test/github/cut-openapi.ts "$folder/package/generated/api.github.com.json"
 *
 * The package (MIT) takes hundreds of megabytes once installed, so it is no dependency of ours.
 * What comes out is JSON Schema: `nullable` is resolved, prose and examples are gone, and every object that lists its properties is closed,
 * so that a misspelt field is found on either side. Two things are added to what the description says: a SHA is 40 hex digits,
 * and error bodies may carry the `status` that GitHub sends in fact.
 */
import { readFileSync, writeFileSync } from 'node:fs';

const repo = '/repos/{owner}/{repo}';
const operations: readonly (readonly [method: string, path: string])[] = [
  ['get', '/rate_limit'],
  ['get', repo],
  ['get', `${repo}/commits/{ref}`],
  ['get', `${repo}/commits/{ref}/status`],
  ['get', `${repo}/commits/{ref}/statuses`],
  ['post', `${repo}/statuses/{sha}`],
  ['get', `${repo}/contents/{path}`],
  ['get', `${repo}/git/trees/{tree_sha}`],
  ['post', `${repo}/git/trees`],
  ['get', `${repo}/git/blobs/{file_sha}`],
  ['get', `${repo}/git/commits/{commit_sha}`],
  ['post', `${repo}/git/commits`],
  ['get', `${repo}/git/ref/{ref}`],
  ['get', `${repo}/git/matching-refs/{ref}`],
  ['post', `${repo}/git/refs`],
  ['patch', `${repo}/git/refs/{ref}`],
  ['delete', `${repo}/git/refs/{ref}`],
  ['get', `${repo}/pulls`],
  ['post', `${repo}/pulls`],
  ['get', `${repo}/pulls/{pull_number}`],
  ['patch', `${repo}/pulls/{pull_number}`],
  ['put', `${repo}/pulls/{pull_number}/merge`],
  ['get', `${repo}/pulls/{pull_number}/files`],
  ['get', `${repo}/issues/{issue_number}/comments`],
  ['post', `${repo}/issues/{issue_number}/comments`],
  ['get', `${repo}/issues/{issue_number}/labels`],
  ['post', `${repo}/issues/{issue_number}/labels`],
];

// oxlint-disable-next-line no-explicit-any -- the description is walked as it is
type Json = any;
const document: Json = JSON.parse(readFileSync(process.argv[2] ?? usage(), 'utf8'));
const schemas: Record<string, Json> = {};
const kept = ['type', 'required', 'enum', 'minLength', 'maxLength', 'minimum', 'maximum', 'minItems', 'maxItems', 'pattern'] as const;
const formats = new Set(['uri', 'date-time']);
const shaNames = new Set(['sha', 'base_tree']);

function usage(): never {
  throw new Error('usage: node test/github/cut-openapi.ts api.github.com.json');
}

function resolve(value: Json): Json {
  if (value?.$ref === undefined) return value;
  return value.$ref
    .slice(2)
    .split('/')
    .reduce((at: Json, name: string) => at[name], document);
}

function reference(ref: string): Json {
  const name = ref.split('/').at(-1) as string;
  if (!(name in schemas)) {
    schemas[name] = {};
    schemas[name] = schema(document.components.schemas[name], name);
  }
  return { $ref: `#/schemas/${name}` };
}

/** One schema of OpenAPI 3.0 as JSON Schema. `name` is the property or component it stands under. */
function schema(from: Json, name = ''): Json {
  if (from.$ref !== undefined) return reference(from.$ref);
  const to: Json = {};
  for (const key of kept) if (from[key] !== undefined) to[key] = from[key];
  if (formats.has(from.format)) to.format = from.format;
  if (shaNames.has(name) && from.type === 'string') to.pattern = '^[0-9a-f]{40}$';
  if (from.items !== undefined) to.items = schema(from.items);
  for (const key of ['oneOf', 'anyOf', 'allOf'] as const) if (from[key] !== undefined) to[key] = from[key].map((s: Json) => schema(s));
  if (from.properties !== undefined) Object.assign(to, properties(from, name));
  else if (typeof from.additionalProperties === 'object') to.additionalProperties = schema(from.additionalProperties);
  else if (from.additionalProperties === false) to.additionalProperties = false;
  return from.nullable ? orNull(to) : to;
}

function properties(from: Json, name: string): Json {
  const to: Json = { properties: {}, additionalProperties: from.additionalProperties === true };
  for (const [key, value] of Object.entries(from.properties)) to.properties[key] = schema(value, key);
  const isError = from.properties.message !== undefined && from.properties.documentation_url !== undefined;
  if (isError || name.startsWith('validation-error')) to.properties.status = { type: 'string' };
  return to;
}

function orNull(to: Json): Json {
  if (typeof to.type !== 'string') return Object.keys(to).length === 0 ? {} : { anyOf: [to, { type: 'null' }] };
  return { ...to, type: [to.type, 'null'], ...(to.enum === undefined ? {} : { enum: [...to.enum, null] }) };
}

function body(content: Json): Json {
  const json = content?.['application/json']?.schema;
  return json === undefined ? undefined : schema(json);
}

const cut = operations.map(([method, path]) => {
  const operation = document.paths[path][method];
  const parameters = (operation.parameters ?? []).map(resolve);
  const responses: Json = {};
  for (const [status, response] of Object.entries(operation.responses)) responses[status] = body(resolve(response).content) ?? null;
  const query: Json = {};
  for (const p of parameters.filter((p: Json) => p.in === 'query')) query[p.name] = schema(p.schema);
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    multiSegment: parameters.filter((p: Json) => p['x-multi-segment']).map((p: Json) => p.name),
    query: { type: 'object', properties: query, additionalProperties: false },
    ...(operation.requestBody === undefined ? {} : { request: body(operation.requestBody.content) }),
    responses,
  };
});
reference('#/components/schemas/basic-error');
reference('#/components/schemas/validation-error');

const { title, version } = document.info;
const source = `${title} ${version}, from @octokit/openapi 23.0.2 (MIT), cut by test/github/cut-openapi.ts`;
writeFileSync(new URL('openapi.generated.json', import.meta.url), `${JSON.stringify({ source, operations: cut, schemas })}\n`);
