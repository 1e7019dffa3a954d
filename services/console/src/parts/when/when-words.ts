import { formatTime } from '../times/times.ts';
import { describeCron } from './cron-words.ts';
import { unitWords, type Span } from './durations.ts';
import { formatLocalStart } from './local-start.ts';
import type { WhenForm } from './when-form.ts';
import { instantOf } from '../times/zoned-times.ts';

interface Timing {
  when: WhenForm;
  countries: readonly string[];
}

export function describeWhen({ when, countries }: Timing, own: string): string {
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
      return `It starts at ${formatLocalStart(when.time, now)} local time in each of ${countries.join(', ')}.`;
    case 'recurring': {
      const rule = when.rule === 'cron' ? (describeCron(when.cron) ?? when.cron) : `Every ${everyInWords(when.every)}`;
      return `${rule}, ${when.zone}, until it is ended.`;
    }
  }
}

/** Formats an interval, such as `minute` or `5 minutes`. */
function everyInWords({ amount, unit }: Span): string {
  return Number(amount) === 1 ? unitWords[unit].replace(/s$/, '') : `${amount} ${unitWords[unit]}`;
}
