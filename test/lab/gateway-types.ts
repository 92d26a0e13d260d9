import type { KubeObject } from '../../src/objects.ts';
import type { Condition } from './pod-types.ts';

/** The fields of the Gateway API's and of core's objects that the lab's gateway reads. */
export interface HttpRoute extends KubeObject {
  readonly spec: { readonly parentRefs?: readonly ParentRef[]; readonly hostnames?: readonly string[]; readonly rules?: readonly Rule[] };
  readonly status?: { readonly parents?: readonly ParentStatus[] };
}

export interface ParentRef {
  readonly group?: string;
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly sectionName?: string;
  readonly port?: number;
}

export interface ParentStatus {
  readonly parentRef: ParentRef;
  readonly controllerName: string;
  readonly conditions: readonly Condition[];
}

export interface Rule {
  readonly matches?: readonly Match[];
  readonly backendRefs?: readonly BackendRef[];
}

export interface Match {
  readonly path?: { readonly type?: 'PathPrefix' | 'Exact' | 'RegularExpression'; readonly value?: string };
  readonly headers?: readonly { readonly name: string; readonly value: string; readonly type?: 'Exact' | 'RegularExpression' }[];
  readonly method?: string;
}

export interface BackendRef {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name: string;
  readonly port?: number;
  readonly weight?: number;
}

export interface Service extends KubeObject {
  readonly spec: { readonly ports?: readonly { readonly name?: string; readonly port: number }[] };
}

export interface EndpointSlice extends KubeObject {
  readonly endpoints?: readonly { readonly addresses: readonly string[]; readonly conditions?: { readonly ready?: boolean } }[] | null;
  readonly ports?: readonly { readonly name?: string; readonly port?: number }[] | null;
}

export interface Gateway extends KubeObject {
  readonly spec: { readonly gatewayClassName: string; readonly listeners?: readonly { readonly name: string }[] };
  readonly status?: { readonly conditions?: readonly Condition[] };
}
