import { readFileSync } from 'node:fs';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly format?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly items?: JsonSchema;
  readonly oneOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly allOf?: readonly JsonSchema[];
}

/** One operation of GitHub's description. A response of null has no body. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Parameters that may span several segments of a path. */
  readonly multiSegment: readonly string[];
  readonly query: JsonSchema;
  readonly request?: JsonSchema;
  readonly responses: Readonly<Record<string, JsonSchema | null>>;
}

interface Description {
  readonly operations: readonly Operation[];
  readonly schemas: Readonly<Record<string, JsonSchema>>;
}

const description: Description = JSON.parse(readFileSync(new URL('openapi.generated.json', import.meta.url), 'utf8'));
// Queries arrive as text, so their copy of ajv reads '100' as a number. Bodies get no such kindness.
const [strict, coercing] = [false, true].map((coerceTypes) => {
  const ajv = new Ajv({ strict: false, allErrors: true, coerceTypes });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'github', schemas: description.schemas });
  return ajv;
}) as [Ajv, Ajv];

const compiled = new Map<string, ValidateFunction>();

/** What is wrong with a value, or nothing. Schemas are compiled when they are first needed: all of them would take seconds. */
function mistakes(key: string, schema: JsonSchema, value: unknown, ajv: Ajv): string | undefined {
  let validate = compiled.get(key);
  if (validate === undefined) {
    validate = ajv.compile(absolute(schema) as object);
    compiled.set(key, validate);
  }
  return validate(value) ? undefined : text(validate.errors ?? []);
}

function absolute(schema: JsonSchema): unknown {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/schemas/', '"github#/schemas/'));
}

function text(errors: readonly ErrorObject[]): string {
  return errors.map((e) => `${e.instancePath || 'body'} ${e.message} ${JSON.stringify(e.params)}`).join('; ');
}

export function queryMistakes(operation: Operation, query: Record<string, unknown>): string | undefined {
  return mistakes(`${operation.id} query`, operation.query, query, coercing);
}

export function requestMistakes(operation: Operation, body: unknown): string | undefined {
  if (operation.request === undefined) return body === undefined ? undefined : 'no body is expected';
  return mistakes(`${operation.id} request`, operation.request, body ?? null, strict);
}

/** Errors that GitHub sends from every operation, described or not. */
const anywhere: Readonly<Record<number, string>> = {
  401: 'basic-error',
  403: 'basic-error',
  404: 'basic-error',
  409: 'basic-error',
  422: 'validation-error',
  429: 'basic-error',
};

export function responseMistakes(operation: Operation, status: number, body: unknown): string | undefined {
  const described = operation.responses[status];
  if ((described === null && status < 300) || status === 304) return body === undefined ? undefined : `${status} has no body`;
  const name = anywhere[status];
  const schema = described ?? (name === undefined ? undefined : { $ref: `#/schemas/${name}` });
  if (schema === undefined) return `${status} is not described`;
  return mistakes(`${operation.id} ${status}`, schema, body, strict);
}

/**
 * The value with every required field that it lacks put in: null where that is allowed, else the plainest value of the type.
 * A pull request has some forty required fields and two repositories of seventy; this is where those that nobody reads come from.
 */
export function complete(operation: Operation, status: number, given: unknown, url: string): unknown {
  const schema = operation.responses[status];
  return schema === undefined || schema === null ? given : fill(schema, given, url);
}

function fill(schema: JsonSchema, given: unknown, url: string): unknown {
  if (schema.$ref !== undefined) return fill(named(schema.$ref), given, url);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined && schema.properties === undefined) return given === null ? null : fill(choose(choices, given), given, url);
  if (given === undefined) return plainest(schema, url);
  if (Array.isArray(given)) return schema.items === undefined ? given : given.map((item) => fill(schema.items as JsonSchema, item, url));
  if (given === null || typeof given !== 'object' || schema.properties === undefined) return given;
  const to: Record<string, unknown> = {};
  const from = given as Record<string, unknown>;
  for (const [key, property] of Object.entries(schema.properties)) {
    if (from[key] !== undefined || schema.required?.includes(key)) to[key] = fill(property, from[key], url);
  }
  return { ...from, ...to };
}

/** Of several shapes the one that knows the discriminating `type` of the value, else the first. */
function choose(choices: readonly JsonSchema[], given: unknown): JsonSchema {
  const type = Array.isArray(given) ? 'array' : (given as { type?: unknown } | undefined)?.type;
  const open = choices.map((choice) => (choice.$ref === undefined ? choice : named(choice.$ref)));
  const fits = open.find((choice) => choice.type === type || choice.properties?.['type']?.enum?.includes(type));
  return fits ?? (open[0] as JsonSchema);
}

function plainest(schema: JsonSchema, url: string): unknown {
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? []);
  if (types.includes('null')) return null;
  if (schema.enum !== undefined) return schema.enum[0];
  if (schema.format === 'uri') return url;
  if (schema.format === 'date-time') return '2026-01-01T00:00:00Z';
  if (schema.properties !== undefined) return fill(schema, {}, url);
  const plain: Record<string, unknown> = { string: '', integer: 0, number: 0, boolean: false, array: [], object: {} };
  return plain[types[0] ?? 'object'];
}

function named(ref: string): JsonSchema {
  return description.schemas[ref.slice('#/schemas/'.length)] as JsonSchema;
}

interface Route {
  readonly operation: Operation;
  readonly pattern: RegExp;
  readonly names: readonly string[];
}

// Longer templates first: commits/{ref}/status must be asked before commits/{ref}, whose ref may hold slashes.
const routes: readonly Route[] = [...description.operations].sort((a, b) => b.path.length - a.path.length).map(route);

function route(operation: Operation): Route {
  const names: string[] = [];
  const pattern = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    names.push(name);
    return operation.multiSegment.includes(name) ? '(.+)' : '([^/]+)';
  });
  return { operation, pattern: new RegExp(`^${pattern}$`), names };
}

/** The operation that a request asks for, with the parameters of its path decoded. */
export function find(method: string, path: string): { operation: Operation; parameters: Record<string, string> } | undefined {
  for (const { operation, pattern, names } of routes) {
    const match = operation.method === method ? pattern.exec(path) : null;
    if (match === null) continue;
    const values = match.slice(1).map(decodeURIComponent);
    return { operation, parameters: Object.fromEntries(names.map((name, i) => [name, values[i] as string])) };
  }
  return undefined;
}
