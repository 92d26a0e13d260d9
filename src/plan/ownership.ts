import type { Adoption } from '../desired/types.ts';
import { type KubeObject, SERIN } from '../objects.ts';

/** Marks by which other tools say that an object is theirs, from each tool's own documentation. */
const MARKS: readonly { readonly owner: string; readonly label?: string; readonly annotation?: string; readonly is?: string }[] = [
  { owner: 'Helm', annotation: 'meta.helm.sh/release-name' },
  { owner: 'Helm', label: 'app.kubernetes.io/managed-by', is: 'Helm' },
  { owner: 'Flux', label: 'kustomize.toolkit.fluxcd.io/name' },
  { owner: 'Flux', label: 'helm.toolkit.fluxcd.io/name' },
  { owner: 'Argo CD', annotation: 'argocd.argoproj.io/tracking-id' },
  { owner: 'kapp', label: 'kapp.k14s.io/app' },
  { owner: 'kluctl', label: 'kluctl.io/discriminator' },
];

/** Why a live object may not be taken into the release, or undefined when it may be, or is in it already. */
export function refusal(live: KubeObject, applySet: string, adopt: Adoption): string | undefined {
  const part = live.metadata.labels?.[SERIN.partOf];
  if (part === applySet) return undefined;
  if (adopt === 'all') return undefined;
  if (part !== undefined) return `it is part of another ApplySet, ${part}`;
  const owner = MARKS.find((mark) => marked(live, mark));
  if (owner) return `it is owned by ${owner.owner}`;
  return adopt === 'never' ? 'it was there before, and adopt is never' : undefined;
}

function marked(live: KubeObject, { label, annotation, is }: (typeof MARKS)[number]): boolean {
  const value = label === undefined ? live.metadata.annotations?.[annotation ?? ''] : live.metadata.labels?.[label];
  return value !== undefined && (is === undefined || value === is);
}
