import { at, type Kind } from '../objects.ts';
import { isFields } from './json.ts';
import type { MergeField, MergeSchema } from './types.ts';

/** A MergeSchema as read from OpenAPI, with what comparing needs beside it. */
export interface TypedSchema extends MergeSchema {
  /** How a scalar is written in more than one way: 1000m and 1, 80 and "80". */
  readonly scalar?: 'quantity' | 'int-or-string';
  /** What the server fills in for fields of an item that are left out, for example protocol: TCP. */
  readonly defaults?: Readonly<Record<string, unknown>>;
}

type Node = Readonly<Record<string, unknown>>;
const strategicType = 'application/strategic-merge-patch+json';
const schemaPrefix = '#/components/schemas/';

/**
 * The merge rules of a kind, read lazily from the OpenAPI v3 document of its group and version.
 * Undefined where the server offers no strategic merge for it: kinds that are not there, and every custom resource (kubectl decides by the same sign).
 * @see https://kubernetes.io/docs/tasks/manage-kubernetes-objects/update-api-object-kubectl-patch/
 */
export function mergeSchemaOf(openapi: unknown, kind: Kind): MergeSchema | undefined {
  if (!offersStrategicMerge(openapi, kind)) return undefined;
  const schemas = Object.values((at(openapi, 'components', 'schemas') ?? {}) as Node);
  const root = schemas.find((schema) => {
    const kinds = at(schema, 'x-kubernetes-group-version-kind');
    return Array.isArray(kinds) && kinds.some((named) => names(named, kind));
  });
  return isFields(root) ? reader(openapi)(root) : undefined;
}

function offersStrategicMerge(openapi: unknown, kind: Kind): boolean {
  return Object.values((at(openapi, 'paths') ?? {}) as Node).some(
    (path) =>
      names(at(path, 'patch', 'x-kubernetes-group-version-kind'), kind) &&
      at(path, 'patch', 'requestBody', 'content', strategicType) !== undefined,
  );
}

function names(named: unknown, { apiVersion, kind }: Kind): boolean {
  const group = at(named, 'group');
  return at(named, 'kind') === kind && (group === '' ? '' : `${group}/`) + at(named, 'version') === apiVersion;
}

/** Reads each named schema once, so that schemas that contain themselves are no trouble. */
function reader(openapi: unknown): (node: Node) => TypedSchema {
  const read = new Map<Node, TypedSchema>();
  const resolve = (node: Node): Node => {
    const ref = node.$ref ?? at(node, 'allOf', 0, '$ref');
    if (typeof ref !== 'string' || !ref.startsWith(schemaPrefix)) return node;
    const named = at(openapi, 'components', 'schemas', ref.slice(schemaPrefix.length));
    return isFields(named) ? named : {};
  };
  const schemaOf = (given: Node): TypedSchema => {
    const node = resolve(given);
    const known = read.get(node);
    if (known) return known;
    const schema = readSchema(given, node, schemaOf);
    read.set(node, schema);
    return schema;
  };
  return schemaOf;
}

function readSchema(given: Node, node: Node, schemaOf: (node: Node) => TypedSchema): TypedSchema {
  const fields: Record<string, MergeField> = {};
  const defaults: Record<string, unknown> = {};
  for (const [name, property] of Object.entries((node.properties ?? {}) as Record<string, Node>)) {
    fields[name] = readField(property, schemaOf);
    if (property.default !== undefined && !isFields(property.default)) defaults[name] = property.default;
  }
  const values = node.additionalProperties;
  const scalar = scalarOf(given, node);
  return {
    fields,
    ...(isFields(values) ? { values: () => schemaOf(values) } : {}),
    ...(scalar === undefined ? {} : { scalar }),
    ...(Object.keys(defaults).length === 0 ? {} : { defaults }),
  };
}

function readField(property: Node, schemaOf: (node: Node) => TypedSchema): MergeField {
  const key = property['x-kubernetes-patch-merge-key'];
  const strategy = property['x-kubernetes-patch-strategy'];
  const mapKeys = property['x-kubernetes-list-map-keys'];
  return {
    strategies: typeof strategy === 'string' ? (strategy.split(',') as MergeField['strategies']) : [],
    of: () => schemaOf(isFields(property.items) ? property.items : property),
    ...(typeof key === 'string' ? { key } : {}),
    ...(Array.isArray(mapKeys) ? { listMapKeys: mapKeys as string[] } : {}),
  };
}

function scalarOf(given: Node, node: Node): TypedSchema['scalar'] {
  if (node.format === 'int-or-string' || node['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  const ref = given.$ref ?? at(given, 'allOf', 0, '$ref');
  return typeof ref === 'string' && ref.endsWith('.api.resource.Quantity') ? 'quantity' : undefined;
}
