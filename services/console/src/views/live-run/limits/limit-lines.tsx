import { priorities } from '../../../parts/campaign/form.ts';
import { instantOf } from '../../../parts/times/zoned-times.ts';
import { useCurrentMinute } from '../../../parts/browser/now.ts';
import { Select, TextInput } from '../../../parts/controls/controls.tsx';
import { TimeInput } from '../../../parts/controls/time-input.tsx';
import { useFormatTime } from '../../../parts/times/zone.ts';
import { deadlineEffect, expectedEndMs, failedEffect, paceEffect, priorityEffect } from './limit-effects.ts';
import { LimitLine, type LimitLinesProps } from './limit-line.tsx';

/** Fields for the limits of this run. The limits of the campaign do not change. */
export function LimitLines(props: LimitLinesProps) {
  const { progress, now, typed, changes, zone } = props;
  const nowMs = useCurrentMinute();
  const timeOf = useFormatTime();
  const { run } = changes;
  const pace = run.paceUsersPerSecond;
  const endMs = expectedEndMs(progress, pace === undefined ? progress.settings.paceUsersPerSecond : pace, nowMs);
  const wanted = instantOf((typed.deadline ?? now.deadline ?? '').trim().replace(/\s+/, 'T'), zone);
  const deadlineMs = wanted === null ? null : Date.parse(wanted);
  return (
    <>
      <LimitLine {...props} name="pace" label="Pace, at most" effect={paceEffect(progress, pace, { nowMs, timeOf })}>
        {(control) => <TextInput {...control} inputMode="numeric" unit="users/s" placeholder="no limit" />}
      </LimitLine>
      <LimitLine
        {...props}
        name="deadline"
        label="Deadline"
        effect={deadlineEffect(deadlineMs, { isChanged: run.deadlineAt !== undefined, endMs, nowMs })}
      >
        {(control) => <TimeInput {...control} />}
      </LimitLine>
      <LimitLine {...props} name="priority" label="Priority" effect={priorityEffect(run.priority)}>
        {({ onText, value, ...control }) => (
          <Select
            {...control}
            value={priorities.find((each) => each === value) ?? ''}
            choices={priorities.map((each) => ({ value: each, label: each }))}
            onChoose={onText}
          />
        )}
      </LimitLine>
      <LimitLine
        {...props}
        name="failedPercent"
        label="Pause automatically at"
        none="never"
        effect={failedEffect(progress, run.pauseAtFailedPercent)}
      >
        {(control) => <TextInput {...control} inputMode="decimal" unit="% failed" placeholder="never" />}
      </LimitLine>
    </>
  );
}
