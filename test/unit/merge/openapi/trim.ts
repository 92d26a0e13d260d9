/**
 * Cuts from OpenAPI v3 documents what the merge tests read: the schemas that some kinds reach, without descriptions, and which patches their paths offer.
 *   node test/unit/merge/openapi/trim.ts FOLDER
 * FOLDER has the files of api/openapi-spec/v3 of https://github.com/kubernetes/kubernetes at v1.36.3, and as apis__example.com__v1_openapi.json
 * what a cluster with the resource of widgets.yaml serves at /openapi/v3/apis/example.com/v1.
 */
import { readFileSync, writeFileSync } from 'node:fs';

type Node = Record<string, unknown>;
interface Document {
  readonly paths: Record<string, { readonly patch?: { readonly requestBody: { readonly content: Node } } & Node }>;
  readonly components: { readonly schemas: Record<string, Node> };
}

const cuts = {
  'api__v1_openapi.json': [
    'io.k8s.api.core.v1.ConfigMap',
    'io.k8s.api.core.v1.Secret',
    'io.k8s.api.core.v1.Service',
    'io.k8s.api.core.v1.ServiceAccount',
  ],
  'apis__apps__v1_openapi.json': ['io.k8s.api.apps.v1.Deployment'],
  'apis__autoscaling__v2_openapi.json': ['io.k8s.api.autoscaling.v2.HorizontalPodAutoscaler'],
  'apis__example.com__v1_openapi.json': ['com.example.v1.Widget'],
  'apis__networking.k8s.io__v1_openapi.json': ['io.k8s.api.networking.v1.NetworkPolicy'],
};

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('usage: node test/unit/merge/openapi/trim.ts FOLDER');
for (const [file, kinds] of Object.entries(cuts)) {
  const document = JSON.parse(readFileSync(`${folder}/${file}`, 'utf8')) as Document;
  const out = new URL(file.replace('_openapi.json', '.generated.json'), import.meta.url);
  writeFileSync(out, `${JSON.stringify({ paths: patchable(document, kinds), components: { schemas: reachable(document, kinds) } })}\n`);
}

function reachable(document: Document, kinds: readonly string[]): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  const queue = [...kinds];
  for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
    if (name in found) continue;
    found[name] = withoutDescriptions(document.components.schemas[name]);
    for (const [, next] of JSON.stringify(found[name]).matchAll(/#\/components\/schemas\/([^"]+)/g)) if (next) queue.push(next);
  }
  return found;
}

function patchable(document: Document, kinds: readonly string[]): Record<string, unknown> {
  const named = kinds.map((kind) => kind.split('.').at(-1));
  const kept = Object.entries(document.paths).flatMap(([path, { patch }]) => {
    const kind = patch?.['x-kubernetes-group-version-kind'] as { kind: string } | undefined;
    if (!patch || !kind || !named.includes(kind.kind)) return [];
    const content = Object.fromEntries(Object.keys(patch.requestBody.content).map((type) => [type, {}]));
    return [[path, { patch: { 'x-kubernetes-group-version-kind': kind, requestBody: { content } } }]];
  });
  return Object.fromEntries(kept);
}

/** A description is text; a property that is called description is an object, and stays. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, v]) => key !== 'description' || typeof v !== 'string');
  return Object.fromEntries(kept.map(([key, v]) => [key, withoutDescriptions(v)]));
}
