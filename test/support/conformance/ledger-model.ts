import { fc } from '../properties.ts';
import { expect } from 'vitest';
import { quarantinedAfterLapses } from '../../../shared/postgres/ledger/ledger-codes.ts';
import type { ClaimedStep, StepBegin, StepLedger, StepRef } from '../../../shared/ports/step-ledger.ts';
import { doneOf, leaseMs, waitingOf, type ExecutionSubject } from './execution-subject.ts';

/** Smallest model of the ledger for one step: its row, and the workers that consider themselves its owner. */
export interface LedgerModel {
  state: 'none' | 'running' | 'waiting' | 'done';
  epoch: number;
  attempts: number;
  open: boolean;
  lapses: number;
  begun: boolean;
  /** Time at which the lease or the wait ends. */
  untilMs: number;
  nowMs: number;
  /** Number of recordings. */
  recordings: number;
}

export interface LedgerReal {
  subject: ExecutionSubject;
  ref: StepRef;
  ledgers: Record<Worker, StepLedger>;
  /** All claims of a worker, the newest last. A worker that lost a claim continues with an old one. */
  held: Record<Worker, ClaimedStep[]>;
}

type Worker = 'a' | 'b';
type Command = fc.AsyncCommand<LedgerModel, LedgerReal>;

export const newModel: LedgerModel = {
  state: 'none',
  epoch: 0,
  attempts: 0,
  open: false,
  lapses: 0,
  begun: false,
  untilMs: 0,
  nowMs: 0,
  recordings: 0,
};

function mayClaim({ state, untilMs, nowMs, lapses }: LedgerModel): boolean {
  if (state === 'none') return true;
  if (state === 'running') return untilMs < nowMs && lapses < quarantinedAfterLapses;
  return state === 'waiting' && untilMs <= nowMs;
}

/** Expects the row to match the model after each command. */
async function expectRow(model: LedgerModel, { subject, ref }: LedgerReal): Promise<void> {
  const row = await subject.rows.step(ref);
  const { state, epoch, attempts, open, lapses, begun } = model;
  if (state === 'none') expect(row).toBeUndefined();
  else expect(row).toMatchObject({ state, epoch, attempts, open, lapses, begun });
}

function claim(worker: Worker): Command {
  return {
    check: () => true,
    toString: () => `${worker} claims`,
    run: async (model, real) => {
      const { claimed } = await real.ledgers[worker].flush({ results: [], claims: [real.ref], begins: [] });
      expect(claimed).toHaveLength(mayClaim(model) ? 1 : 0);
      const waited = model.state === 'waiting';
      if (mayClaim(model)) take(model);
      for (const step of claimed) {
        const { epoch, attempts, open, lapses } = model;
        expect(step).toMatchObject({ epoch, attempts, open, waited, lapses });
        real.held[worker].push(step);
      }
      await expectRow(model, real);
    },
  };
}

function take(model: LedgerModel): void {
  const hasLapsed = model.state === 'running' && (model.lapses === 0 || model.begun);
  model.lapses += hasLapsed ? 1 : 0;
  model.open ||= hasLapsed;
  model.state = 'running';
  model.begun = false;
  model.epoch++;
  model.untilMs = model.nowMs + leaseMs;
}

/** Lets both workers claim at the same time: one of them gets the step. */
function claimBoth(): Command {
  return {
    check: () => true,
    toString: () => 'both claim',
    run: async (model, real) => {
      const flush = { results: [], claims: [real.ref], begins: [] };
      const [ofA, ofB] = await Promise.all([real.ledgers.a.flush(flush), real.ledgers.b.flush(flush)]);
      expect(ofA.claimed.length + ofB.claimed.length).toBe(mayClaim(model) ? 1 : 0);
      if (mayClaim(model)) take(model);
      real.held.a.push(...ofA.claimed);
      real.held.b.push(...ofB.claimed);
      await expectRow(model, real);
    },
  };
}

/** Acts with the claim that a worker got `age` claims ago. An old claim is that of a worker that lost the step. */
function withClaim(
  worker: Worker,
  age: number,
  name: string,
  act: (claim: ClaimedStep, isOurs: boolean, model: LedgerModel, real: LedgerReal) => Promise<void>,
): Command {
  return {
    check: () => true,
    toString: () => `${worker} ${name} under its claim ${age} back`,
    run: async (model, real) => {
      const step = real.held[worker].at(-1 - age);
      if (!step) return;
      await act(step, model.state === 'running' && step.epoch === model.epoch, model, real);
      await expectRow(model, real);
    },
  };
}

function recordDone(worker: Worker, age: number): Command {
  return withClaim(worker, age, 'records', async (step, isOurs, model, real) => {
    const { recorded } = await real.ledgers[worker].flush({ results: [doneOf(step)], claims: [], begins: [] });
    // A repeat under the same epoch is returned as recorded, and writes nothing.
    expect(recorded).toHaveLength(step.epoch === model.epoch ? 1 : 0);
    if (!isOurs) return;
    model.state = 'done';
    model.recordings++;
  });
}

function putBack(worker: Worker, age: number, delayMs: number, open: boolean, answered: boolean): Command {
  return withClaim(worker, age, `puts back for ${delayMs} ms`, async (step, isOurs, model, real) => {
    const result = waitingOf(step, { delayMs, open, answered, cause: 'HTTP 500' });
    const { recorded } = await real.ledgers[worker].flush({ results: [result], claims: [], begins: [] });
    expect(recorded).toHaveLength(step.epoch === model.epoch ? 1 : 0);
    if (!isOurs) return;
    model.state = 'waiting';
    model.begun = false;
    model.open = open;
    model.attempts += answered ? 1 : 0;
    model.untilMs = model.nowMs + delayMs;
  });
}

function begin(worker: Worker, age: number): Command {
  return withClaim(worker, age, 'begins its call', async (step, isOurs, model, real) => {
    const begins: StepBegin[] = [step];
    const { begun } = await real.ledgers[worker].flush({ results: [], claims: [], begins });
    expect(begun).toHaveLength(isOurs ? 1 : 0);
    if (isOurs) model.begun = true;
  });
}

function pass(ms: number): Command {
  return {
    check: () => true,
    toString: () => `${ms} ms pass`,
    run: async (model, real) => {
      await real.subject.passTime(ms);
      model.nowMs += ms;
    },
  };
}

const worker = fc.constantFrom<Worker>('a', 'b');
const age = fc.constantFrom(0, 0, 0, 1, 2);

export const ledgerCommands = fc.commands(
  [
    worker.map(claim),
    worker.map(claim),
    fc.constant(claimBoth()),
    fc.tuple(worker, age).map(([who, back]) => recordDone(who, back)),
    fc.tuple(worker, age, fc.constantFrom(0, 5000, 60_000), fc.boolean(), fc.boolean()).map((args) => putBack(...args)),
    fc.tuple(worker, age).map(([who, back]) => begin(who, back)),
    // Durations far from the limits, because the database's own clock continues during a command.
    fc.constantFrom(12_000, leaseMs + 10_000, 70_000).map(pass),
    fc.constant(pass(leaseMs + 10_000)),
  ],
  { maxCommands: 40, size: 'max' },
);
