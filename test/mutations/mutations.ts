import { apiMutations } from './api-mutations.ts';
import { connectorsMutations } from './connectors-mutations.ts';
import { domainMutations } from './domain-mutations.ts';
import { inboxMutations } from './inbox-mutations.ts';
import { ledgerMutations } from './ledger-mutations.ts';
import { boundMutations } from './bound-mutations.ts';
import { capMutations } from './cap-mutations.ts';
import { claimMutations } from './claim-mutations.ts';
import { httpMutations } from './http-mutations.ts';
import { gateMutations } from './gate-mutations.ts';
import { approvalMutations } from './approval-mutations.ts';
import type { Mutation } from './mutation.ts';
import { priorityMutations } from './priority-mutations.ts';
import { readinessMutations } from './readiness-mutations.ts';
import { ruleMutations } from './rule-mutations.ts';
import { schedulerMutations } from './scheduler-mutations.ts';
import { trialMutations } from './trial-mutations.ts';
import { tokenMutations } from './token-mutations.ts';
import { tracingMutations } from './tracing-mutations.ts';
import { triggerMutations } from './trigger-mutations.ts';
import { workerMutations } from './worker-mutations.ts';

export const mutations: readonly Mutation[] = [
  ...gateMutations,
  ...workerMutations,
  ...triggerMutations,
  ...ledgerMutations,
  ...schedulerMutations,
  ...httpMutations,
  ...priorityMutations,
  ...claimMutations,
  ...capMutations,
  ...apiMutations,
  ...approvalMutations,
  ...trialMutations,
  ...tokenMutations,
  ...domainMutations,
  ...readinessMutations,
  ...ruleMutations,
  ...tracingMutations,
  ...boundMutations,
  ...connectorsMutations,
  ...inboxMutations,
];
