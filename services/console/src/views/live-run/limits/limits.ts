import type { BudgetChangesInput, RunChangesInput, RunProgress } from '#client/types.gen.ts';
import { priorities, type Priority } from '../../../parts/campaign/form.ts';
import { instantOf, wallClock } from '../../../parts/times/zoned-times.ts';
import { formatTypedBudget, sizeOf, parseBudget } from '../../../parts/money/amounts.ts';
import { typedNumber } from '../../../parts/forms/typed-number.ts';
import { formatCount } from '../../../parts/words/numbers.ts';

/**
 * Limit that can be changed while the run is under way. The budgets belong to the campaign, all other limits to the
 * run.
 */
export type LimitName = 'pace' | 'deadline' | 'priority' | 'failedPercent' | `budget ${string}`;

/** Limits as typed texts. A missing limit is an empty text. */
export type LimitTexts = Readonly<Partial<Record<LimitName, string>>>;

type LimitedRun = Pick<RunProgress, 'settings' | 'deadlineAt' | 'budgets'>;

/** Returns the current limits. @param zone time zone of the deadline */
export function formatLimits({ settings, deadlineAt, budgets }: LimitedRun, zone: string): LimitTexts {
  const { paceUsersPerSecond, pauseAtFailedPercent, priority } = settings;
  return {
    pace: paceUsersPerSecond === null ? '' : formatCount(paceUsersPerSecond),
    deadline: deadlineAt === null ? '' : wallClock(deadlineAt, zone).slice(0, 16).replace('T', ' '),
    priority,
    failedPercent: pauseAtFailedPercent === null ? '' : String(pauseAtFailedPercent),
    ...Object.fromEntries(budgets.map((budget) => [budgetLimit(budget.country), formatTypedBudget(sizeOf(budget))])),
  };
}

export function budgetLimit(country: string): `budget ${string}` {
  return `budget ${country}`;
}

export interface LimitChanges {
  run: RunChangesInput;
  budgets: BudgetChangesInput['budgets'];
  problems: ReadonlyMap<LimitName, string>;
  count: number;
}

/** @param now current limits @param typed texts of the limits that were edited */
export function readTypedLimits(now: LimitTexts, typed: LimitTexts, zone: string): LimitChanges {
  const run: RunChangesInput = {};
  const budgets: BudgetChangesInput['budgets'] = [];
  const problems = new Map<LimitName, string>();
  const changed = changedLimits(now, typed);
  for (const [name, text] of changed) {
    const problem = isBudgetLimit(name)
      ? setBudget(budgets, name, withCurrencyOf(now[name] ?? '', text))
      : name === 'deadline'
        ? setDeadline(run, text, zone)
        : setLimit(run, name, text);
    if (problem !== null) problems.set(name, problem);
  }
  return { run, budgets, problems, count: changed.length };
}

function changedLimits(now: LimitTexts, typed: LimitTexts): (readonly [LimitName, string])[] {
  return limitNames(typed).flatMap((name) => {
    const [text = '', before = ''] = [typed[name], now[name]];
    // The texts are compared as numbers, so that commas make no difference.
    const numbers = [text, before].map((each) => typedNumber(each.replace(currencyAtEnd, '')));
    const same = name !== 'deadline' && numbers[0] === numbers[1] && numbers[0] !== undefined;
    return same || text.trim() === before ? [] : [[name, text] as const];
  });
}

function limitNames(texts: LimitTexts): LimitName[] {
  return Object.keys(texts).filter(isLimitName);
}

function isLimitName(name: string): name is LimitName {
  return name.startsWith('budget ') || ['pace', 'deadline', 'priority', 'failedPercent'].includes(name);
}

/** @returns the problem of the text; null if there is none */
function setDeadline(run: RunChangesInput, text: string, zone: string): string | null {
  const time = text.trim().replace(/\s+/, 'T');
  const instant = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}$/.test(time) ? instantOf(time, zone) : null;
  if (instant === null) return 'has to be a time such as 2026-12-01 09:00';
  run.deadlineAt = instant;
  return null;
}

const currencyAtEnd = /\s*[A-Za-z]{3}$/;

/** Adds the currency of the budget, so that it need not be typed again. */
function withCurrencyOf(before: string, text: string): string {
  const [currency = ''] = currencyAtEnd.exec(before) ?? [];
  return currencyAtEnd.test(text) || text.trim() === '' ? text : `${text}${currency}`;
}

function isBudgetLimit(name: LimitName): name is `budget ${string}` {
  return name.startsWith('budget ');
}

function setBudget(budgets: LimitChanges['budgets'], name: `budget ${string}`, text: string): string | null {
  const size = parseBudget(text);
  if (size === undefined) return `has to be a number, not “${text}”`;
  if (size === null) return 'a budget cannot be removed';
  budgets.push({ country: name.slice(budgetLimit('').length), ...size });
  return null;
}

function setLimit(run: RunChangesInput, name: Exclude<LimitName, `budget ${string}` | 'deadline'>, text: string) {
  if (name === 'priority') {
    if (isPriority(text)) run.priority = text;
    return null;
  }
  const number = typedNumber(text);
  if (number === undefined) return `has to be a number, not “${text}”`;
  if (name === 'pace') run.paceUsersPerSecond = number;
  else run.pauseAtFailedPercent = number;
  return null;
}

function isPriority(text: string): text is Priority {
  return priorities.some((each) => each === text);
}
