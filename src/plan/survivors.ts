import { withoutBookkeeping } from '../merge/difference.ts';
import { sameMeaning } from '../merge/equal.ts';
import type { MergeSchema } from '../merge/types.ts';
import type { KubeObject } from '../objects.ts';

/** Whether the server's own dry run says that a patch would change nothing: what looked like drift was another way of writing the same. */
export function changesNothing(live: KubeObject, dryRun: KubeObject, schema: MergeSchema | undefined): boolean {
  return sameMeaning(withoutBookkeeping(live), withoutBookkeeping(dryRun), schema);
}
