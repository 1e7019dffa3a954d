import type { RunReport } from '../../../sdk/generated/types.gen.ts';
import { count } from '../../show/numbers.ts';
import type { Paint } from '../../show/paint.ts';
import type { ShopFigures } from './shop-database.ts';

export interface InboxFigures {
  mails: number;
  recipients: number;
}

/** A figure of the report, and the figure of the shop or the inbox that must be equal. */
export interface Equality {
  figure: string;
  reported: number;
  counted: number;
  holds: boolean;
}

/** Compares the report with the counts of the called systems. The campaign's two steps are points and mails. */
export function checkBalance(
  { audience, steps: [points, mails] }: Pick<RunReport, 'audience' | 'steps'>,
  shop: ShopFigures,
  inbox: InboxFigures,
): Equality[] {
  const accepted = mails?.succeeded ?? 0;
  const credited = points?.succeeded ?? 0;
  const equalities: [string, number, number][] = [
    ['audience = customers of the segment', audience.counted, shop.lapsed],
    ['succeeded = credits of points', credited, shop.credits],
    ['succeeded = credited customers', credited, shop.credited],
    ['accepted = mails in the inbox', accepted, inbox.mails],
    ['accepted = recipients of mails', accepted, inbox.recipients],
  ];
  return equalities.map(([figure, reported, counted]) => ({ figure, reported, counted, holds: reported === counted }));
}

/** Renders a line for each equality. If it does not hold, the line has both figures. */
export function renderEqualities(equalities: readonly Equality[], paint: Paint): string {
  const lines = equalities.map(({ figure, reported, counted, holds }) =>
    holds
      ? `  ${paint.good('✔')} ${figure}: ${count(reported)}\n`
      : `  ${paint.bad('✖')} ${figure}: the report has ${count(reported)}, and there are ${count(counted)}\n`,
  );
  return `${lines.join('')}\n`;
}
