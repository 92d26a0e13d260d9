import type { Gate, Release } from '../desired/types.ts';
import type { RangeQuery } from '../ports.ts';
import { stepAt } from '../rollout/situation.ts';
import type { CandidateRecord } from '../rollout/types.ts';
import type { Instant, Percent } from '../units.ts';
import { canaryName } from '../versions/sibling.ts';
import { ask } from './threshold.ts';

export interface Question {
  readonly gate: Gate;
  /** Undefined while the window has no whole interval yet. */
  readonly asked: RangeQuery | undefined;
}

/** What is to be asked on this look: the gates of the step that the router serves, over the time since it was entered. Nothing before that. */
export function questionsFor(release: Release, candidate: CandidateRecord | undefined, weight: Percent, now: Instant): readonly Question[] {
  const step = release.canary && stepAt(release.canary.steps, weight);
  const entered = candidate?.entered.find((e) => e.weight === step?.weight);
  if (!candidate || !step || !entered) return [];
  const workloads = Object.keys(candidate.sizes);
  const window = {
    release: release.name,
    namespace: release.namespace,
    canaryPods: podsOf(workloads.map(canaryName)),
    stablePods: podsOf(workloads),
    startedAt: candidate.startedAt,
    enteredAt: entered.at,
    now,
  };
  return step.gates.flatMap((name) => {
    const gate = release.gates[name];
    return gate ? [{ gate, asked: ask(gate, window) }] : [];
  });
}

/** A regular expression for the pods of Deployments: <deployment>-<template hash>-<five characters>, so that shop never matches shop-canary's. */
function podsOf(deployments: readonly string[]): string {
  const names = deployments.map((name) => name.replaceAll('.', '[.]'));
  return `(${names.join('|')})-[a-z0-9]+-[a-z0-9]{5}`;
}
