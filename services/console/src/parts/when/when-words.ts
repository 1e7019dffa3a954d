import { formatTime } from '../times/times.ts';
import { cronInWords } from './cron-words.ts';
import { unitWords, type Span } from './durations.ts';
import type { CampaignForm } from '../campaign/form.ts';
import { localStart } from './local-start.ts';
import { instantOf } from './zoned-times.ts';

export function whenInWords({ when, countries }: Pick<CampaignForm, 'when' | 'countries'>, own: string): string {
  const now = new Date();
  switch (when.kind) {
    case 'now':
      return 'It starts at once.';
    case 'at': {
      const instant = instantOf(when.time, when.zone);
      if (instant === null) return '';
      const there = formatTime(instant, { zone: when.zone, now });
      const here = when.zone === own ? '' : `, which is ${formatTime(instant, { zone: own, now })} in ${own}`;
      return `It starts ${there} in ${when.zone}${here}.`;
    }
    case 'local':
      return `It starts in each of ${countries.join(', ')} when it is ${localStart(when.time, now)} there.`;
    case 'recurring': {
      const rule = when.rule === 'cron' ? (cronInWords(when.cron) ?? when.cron) : `Every ${everyInWords(when.every)}`;
      return `${rule}, ${when.zone}, until somebody ends it.`;
    }
  }
}

/** Formats an interval, such as `minute` or `5 minutes`. */
function everyInWords({ amount, unit }: Span): string {
  return Number(amount) === 1 ? unitWords[unit].replace(/s$/, '') : `${amount} ${unitWords[unit]}`;
}
