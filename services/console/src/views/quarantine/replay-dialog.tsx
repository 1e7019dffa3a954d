import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { replayQuarantinedJobs } from '#client/sdk.gen.ts';
import type { QuarantinedJobGroup } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Check, TextInput } from '../../parts/controls/controls.tsx';
import { FormField } from '../../parts/forms/form-field.tsx';
import { typedNumber } from '../../parts/forms/typed-number.ts';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Effects } from '../../parts/overlays/effects.tsx';
import { Refused } from '../../parts/standing/refused.tsx';
import { formatDuration } from '../../parts/times/times.ts';
import { capitalize } from '../../parts/words/figures.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { describeReplayedJobs } from './job-effects.ts';

interface ReplayDialogProps {
  group: QuarantinedJobGroup;
  client: string;
  onClose: () => void;
}

/** Form that replays all jobs of a group, with a rate, and optionally expired jobs. Then shows their number. */
export function ReplayDialog({ group, client, onClose }: ReplayDialogProps) {
  const queries = useQueryClient();
  const [typed, setTyped] = useState('');
  const [withExpired, setWithExpired] = useState(false);
  const perSecond = typedNumber(typed);
  const replay = useMutation({
    mutationFn: async () => {
      const rate = typeof perSecond === 'number' ? { perSecond } : {};
      const body = { client: group.clientId, reason: group.reason, withExpired, ...rate };
      return (await replayQuarantinedJobs({ body, throwOnError: true })).data;
    },
    onSuccess: () => queries.invalidateQueries(),
  });
  const { items, reason } = group;
  const takes = typeof perSecond === 'number' && perSecond > 0 ? formatDuration((items / perSecond) * 1000) : null;
  return (
    <Dialog
      title={`Replay ${countOf(items, 'job')}?`}
      lead={`${client}: ${capitalize(reason)}`}
      onClose={onClose}
      actions={
        replay.data ? (
          <Button kind="ink" onClick={onClose}>
            Done
          </Button>
        ) : (
          <>
            <Button onClick={onClose} data-autofocus>
              Not now
            </Button>
            <Button kind="ink" disabled={replay.isPending || perSecond === undefined} onClick={() => replay.mutate()}>
              Replay {formatCount(items)}
            </Button>
          </>
        )
      }
    >
      {replay.data ? (
        <div role="status">
          <Effects
            effects={[
              { value: formatCount(replay.data.items), unit: 'jobs', isHot: true, children: 'are called again.' },
              {
                key: 'expired',
                value: formatCount(replay.data.expired),
                unit: 'expired',
                children: 'were left out because they have expired.',
              },
            ]}
          />
        </div>
      ) : (
        <>
          <FormField
            pointer="/perSecond"
            label="Calls per second, at most"
            hint={takes === null ? 'Empty: all are due at once' : `It takes about ${takes}`}
          >
            {(control) => <TextInput {...control} inputMode="decimal" value={typed} onText={setTyped} />}
          </FormField>
          <Check checked={withExpired} onCheck={setWithExpired}>
            Include expired jobs
          </Check>
          <Effects effects={describeReplayedJobs(items, { withExpired })} />
        </>
      )}
      {replay.isError && <Refused error={replay.error} />}
    </Dialog>
  );
}
