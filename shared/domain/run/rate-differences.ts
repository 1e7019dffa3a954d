/** Users of a group, and those of them that a rate counts. */
export interface GroupRate {
  /** At most `users`. */
  successes: number;
  users: number;
}

export const differenceVerdicts = ['higher', 'lower', 'no-difference', 'too-few-users'] as const;

export type DifferenceVerdict = (typeof differenceVerdicts)[number];

/** Difference of two rates, as shares from −1 to 1. */
export interface RateDifference {
  difference: number;
  /** Limits of the 95 % confidence interval. */
  low: number;
  high: number;
  /** Users that each group needs for the observed difference. Null if the rates are equal: no number suffices. */
  neededUsers: number | null;
  verdict: DifferenceVerdict;
}

/** Quantile of the normal distribution for a two-sided error of 5 %. */
const z95 = 1.959963984540054;

/** Quantile of the normal distribution for a power of 80 %. */
const zPower = 0.8416212335729143;

/** Least number of needed users in each group: the formula is unreliable for smaller groups. */
const minNeededUsers = 100;

/** Largest interval limits that still count as no difference: one percentage point, or a tenth of a rate below 10 %. */
const negligible = { points: 0.01, ofRate: 0.1 };

/**
 * Compares the rate of a group with the rate of another. The interval is Newcombe's hybrid score interval, method 10 in
 * "Interval estimation for the difference between independent proportions", Statistics in Medicine 17 (1998), 873–890.
 * Returns null if a group has no users.
 */
export function compareRates(of: GroupRate, against: GroupRate): RateDifference | null {
  if (of.users === 0 || against.users === 0) return null;
  const [a, b] = [wilsonInterval(of), wilsonInterval(against)];
  const difference = a.rate - b.rate;
  const low = difference - Math.hypot(a.rate - a.low, b.high - b.rate);
  const high = difference + Math.hypot(a.high - a.rate, b.rate - b.low);
  const neededUsers = usersNeeded(a.rate, b.rate);
  const smallest = Math.min(of.users, against.users);
  const pooled = (of.successes + against.successes) / (of.users + against.users);
  return { difference, low, high, neededUsers, verdict: verdictOf({ low, high, neededUsers, smallest, pooled }) };
}

interface Judged {
  low: number;
  high: number;
  neededUsers: number | null;
  /** Users of the smaller group. */
  smallest: number;
  /** Rate of both groups together. */
  pooled: number;
}

function verdictOf({ low, high, neededUsers, smallest, pooled }: Judged): DifferenceVerdict {
  if (neededUsers !== null && smallest >= neededUsers) {
    if (low > 0) return 'higher';
    if (high < 0) return 'lower';
  }
  const margin = Math.min(negligible.points, negligible.ofRate * pooled);
  return -margin < low && high < margin ? 'no-difference' : 'too-few-users';
}

/** Returns the rate with Wilson's 95 % score interval. The limits are exact if no user or every user counts. */
function wilsonInterval({ successes, users }: GroupRate): { rate: number; low: number; high: number } {
  const rate = successes / users;
  const z2 = z95 ** 2;
  const centre = (2 * successes + z2) / (2 * (users + z2));
  const half = (z95 * Math.sqrt(z2 + 4 * successes * (1 - rate))) / (2 * (users + z2));
  return { rate, low: successes === 0 ? 0 : centre - half, high: successes === users ? 1 : centre + half };
}

/**
 * Returns the users that each of two equal groups needs for a two-sided test at 5 % to find the difference of these
 * rates with a power of 80 % (Fleiss, Statistical Methods for Rates and Proportions, without continuity correction).
 */
function usersNeeded(a: number, b: number): number | null {
  if (a === b) return null;
  const mean = (a + b) / 2;
  const spread = z95 * Math.sqrt(2 * mean * (1 - mean)) + zPower * Math.sqrt(a * (1 - a) + b * (1 - b));
  return Math.max(minNeededUsers, Math.ceil((spread / (a - b)) ** 2));
}
