import type { RunProgress } from '#client/types.gen.ts';
import { useNow } from '../../../parts/browser/now.ts';
import { formatDuration } from '../../../parts/times/times.ts';
import { useFormatTime } from '../../../parts/times/zone.ts';
import { plainText } from '../../../parts/words/plain-text.ts';

export function DialogLead({ progress, countedAt }: { progress: RunProgress; countedAt: string }) {
  const formatTime = useFormatTime();
  const now = useNow();
  const age = Math.max(0, now - Date.parse(countedAt));
  return (
    <>
      {plainText(progress.campaignName)} · run of {formatTime(progress.scheduledFor)} · counted{' '}
      {age < 1000 ? 'now' : `${formatDuration(Math.floor(age / 1000) * 1000)} ago`}
    </>
  );
}
