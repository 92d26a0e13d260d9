import { mergeSchemaOf } from '../../../src/merge/schema.ts';
import type { MergeSchema } from '../../../src/merge/types.ts';
import type { KubeObject } from '../../../src/objects.ts';
import core from './openapi/api__v1.generated.json' with { type: 'json' };
import apps from './openapi/apis__apps__v1.generated.json' with { type: 'json' };
import autoscaling from './openapi/apis__autoscaling__v2.generated.json' with { type: 'json' };
import example from './openapi/apis__example.com__v1.generated.json' with { type: 'json' };
import networking from './openapi/apis__networking.k8s.io__v1.generated.json' with { type: 'json' };

export { apps, core };

/** The merge rules of an object's kind from the real OpenAPI; undefined for custom resources. */
export function schemaFor({ apiVersion, kind }: Pick<KubeObject, 'apiVersion' | 'kind'>): MergeSchema | undefined {
  const documents: Readonly<Record<string, unknown>> = {
    v1: core,
    'apps/v1': apps,
    'example.com/v1': example,
    'autoscaling/v2': autoscaling,
    'networking.k8s.io/v1': networking,
  };
  return mergeSchemaOf(documents[apiVersion], { apiVersion, kind });
}
