import { z } from 'zod';
import {
  paramsOfVariant,
  stepVariants,
  type variantRefusals,
  wholeWeight,
  type StepVariant,
} from '../../../shared/contracts/campaigns/variants.ts';
import type { FieldProblem } from '../../../shared/contracts/field-problems.ts';
import { missing } from '../frame/field-messages.ts';
import { quoted } from '../frame/http-problem.ts';
import { pointerOf } from '../frame/server/json-pointer.ts';

const varied = z.object({ params: z.record(z.string(), z.json()).default({}), variants: stepVariants });

interface VariedStep extends z.infer<typeof varied> {
  pointer: string;
}

/** Checks the rules across the variants of a chain. The shape refuses variants that this cannot read. */
export function checkVariants(chain: readonly unknown[], splitSeed: unknown): FieldProblem[] {
  const steps = chain.flatMap((step, index): VariedStep[] => {
    const { data } = varied.safeParse(step);
    return data ? [{ ...data, pointer: `/chain/${index}/variants` }] : [];
  });
  const [split, ...followers] = steps;
  if (!split) {
    const hasVariants = chain.some(
      (step) =>
        z.object({ variants: z.unknown().refine((variants) => variants !== undefined) }).safeParse(step).success,
    );
    if (splitSeed === undefined || splitSeed === null || hasVariants) return [];
    const detail = 'no step of the chain has variants: a seed has no effect without them';
    return [{ pointer: '/splitSeed', code: 'no-variants', detail }];
  }
  return [
    ...steps.flatMap(checkNames),
    ...checkWeights(split),
    ...followers.flatMap((step) => checkFollower(step, split.variants)),
  ];
}

const choice = z.object({
  then: z.literal('choose-variant'),
  users: z.unknown().optional(),
  percent: z.unknown().optional(),
  maxFailedPercent: z.unknown().optional(),
});

/** Checks a canary after which a person chooses a variant. The shape refuses canaries that this cannot read. */
export function checkChoice(canary: unknown, chain: readonly unknown[]): FieldProblem[] {
  const { data } = choice.safeParse(canary);
  if (!data) return [];
  const { users, percent, maxFailedPercent } = data;
  const split = chain.map((step) => varied.safeParse(step).data?.variants ?? []).find(({ length }) => length > 0) ?? [];
  const isTooSmall = typeof percent === 'number' && percent * 100 < split.length;
  return [
    ...(split.length > 0
      ? []
      : [problemOf('then', 'no-variants', 'no step of the chain has variants: there is nothing to choose')]),
    ...(users === undefined
      ? []
      : [problemOf('users', 'no-percent', 'has to be absent: give percent, because the split divides all users')]),
    ...(maxFailedPercent === undefined
      ? []
      : [problemOf('maxFailedPercent', 'always-pauses', 'has to be absent: a person always chooses the variant')]),
    ...(isTooSmall
      ? [problemOf('percent', 'too-few', `has to be at least ${split.length / 100}: 0.01 % for each variant`)]
      : []),
  ];
}

function problemOf(field: string, code: keyof typeof variantRefusals, detail: string): FieldProblem {
  return { pointer: `/canary/${field}`, code, detail };
}

function checkNames({ variants, pointer }: VariedStep): FieldProblem[] {
  const names = variants.map(({ name }) => name);
  return names.flatMap((name, index) =>
    names.indexOf(name) === index
      ? []
      : [
          {
            pointer: `${pointer}/${index}/name`,
            code: 'repeated-variant',
            detail: `${quoted(name)} is in the list already`,
          },
        ],
  );
}

function checkWeights({ variants, pointer }: VariedStep): FieldProblem[] {
  const absent = variants.flatMap(({ weight }, index): FieldProblem[] => {
    if (weight !== undefined) return [];
    const detail = `${missing}: the variants of the first step with variants have weights in hundredths of a percent`;
    return [{ pointer: `${pointer}/${index}/weight`, code: 'missing', detail }];
  });
  if (absent.length > 0) return absent;
  const sum = variants.reduce((all, { weight = 0 }) => all + weight, 0);
  if (sum === wholeWeight) return [];
  const detail = `the weights have to add up to ${wholeWeight} (100 %), not ${sum}`;
  return [{ pointer, code: 'wrong-sum', detail }];
}

function checkFollower({ variants, pointer }: VariedStep, split: readonly StepVariant[]): FieldProblem[] {
  const weights = variants.flatMap(({ weight }, index): FieldProblem[] => {
    if (weight === undefined) return [];
    const detail = 'has to be absent: users keep the variant of the first step with variants';
    return [{ pointer: `${pointer}/${index}/weight`, code: 'weight-of-later-step', detail }];
  });
  const [names, wanted] = [variants, split].map((list) => list.map(({ name }) => name).toSorted());
  if (JSON.stringify(names) === JSON.stringify(wanted)) return weights;
  const listed = split.map(({ name }) => quoted(name)).join(', ');
  const detail = `has to have the variants of the first step with variants: ${listed}`;
  return [...weights, { pointer, code: 'other-variants', detail }];
}

export interface SentParams {
  params: unknown;
  /** JSON pointer of the object that a person changes to repair the parameters. */
  pointer: string;
  /** Fields that the variant does not replace, and the pointer of the object that has them. */
  shared: { fields: readonly string[]; pointer: string };
}

/** Returns each object of parameters that the endpoint of a step would receive. */
export function sentParamsOf(step: unknown, index: number): SentParams[] {
  const own = `/chain/${index}/params`;
  const { data } = varied.safeParse(step);
  if (!data) {
    const { params } = z.object({ params: z.unknown() }).catch({ params: undefined }).parse(step);
    return [{ params, pointer: own, shared: { fields: [], pointer: own } }];
  }
  return data.variants.map(({ name, params }, place) => {
    const fields = Object.keys(data.params).filter((field) => !Object.hasOwn(params, field));
    return {
      params: paramsOfVariant(data, name),
      pointer: `/chain/${index}/variants/${place}/params`,
      shared: { fields, pointer: own },
    };
  });
}

/** Returns the problems with the pointer of the object that has the field. A shared field is reported once. */
export function placedProblems(
  found: readonly { sent: SentParams; problems: readonly FieldProblem[] }[],
): FieldProblem[] {
  const placed = found.flatMap(({ sent: { pointer, shared }, problems }) =>
    problems.map((problem) => {
      const inside = problem.pointer.slice(pointer.length);
      const isShared = shared.fields.some((field) => `${inside}/`.startsWith(`${pointerOf([field])}/`));
      return { ...problem, pointer: `${isShared ? shared.pointer : pointer}${inside}` };
    }),
  );
  return [...new Map(placed.map((problem) => [JSON.stringify([problem.pointer, problem.code]), problem])).values()];
}
