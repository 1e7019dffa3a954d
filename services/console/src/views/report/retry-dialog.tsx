import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { retryFailedUsersMutation } from '#client/@tanstack/react-query.gen.ts';
import { retryFailedUsers } from '#client/sdk.gen.ts';
import type { Problem, Retry, RunReport } from '#client/types.gen.ts';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Effects, type Effect } from '../../parts/overlays/effects.tsx';
import { findImpliedRows, retryRequest, type ReasonRow } from '../../parts/failures/failure-reasons.ts';
import { joinWords } from '../../parts/words/figures.ts';
import { countOf, formatCount } from '../../parts/words/numbers.ts';
import { Refused } from '../../parts/standing/refused.tsx';
import { useFormatTime } from '../../parts/times/zone.ts';
import { quotedTitleOf } from '../../parts/words/action-titles.ts';

interface RetryDialogProps {
  report: RunReport;
  rows: readonly ReasonRow[];
  selected: readonly ReasonRow[];
  onClose: () => void;
}

/**
 * Dialog that confirms a retry. Shows the number of users, the steps at which they start, and users outside the
 * selected rows that the retry includes.
 */
export function RetryDialog({ report, rows, selected, onClose }: RetryDialogProps) {
  const navigate = useNavigate();
  const formatTime = useFormatTime();
  const path = { id: report.runId };
  const request = retryRequest(selected);
  const preview = useQuery<Retry, Problem>({
    queryKey: ['retryPreview', report.runId, request],
    queryFn: async ({ signal }) =>
      (await retryFailedUsers({ path, body: { ...request, preview: true }, signal, throwOnError: true })).data,
    staleTime: 0,
  });
  const retry = useMutation({
    ...retryFailedUsersMutation(),
    onSuccess: ({ runId }) => {
      onClose();
      if (runId !== null) void navigate({ to: '/runs/$runId', params: { runId } });
    },
  });
  const users = preview.data?.users;
  return (
    <Dialog
      title={users === undefined ? 'Retry failed users?' : `Retry ${countOf(users, 'user')}?`}
      lead={`${report.campaignName} · run of ${formatTime(report.scheduledFor)}`}
      onClose={onClose}
      actions={
        <>
          <Button data-autofocus onClick={onClose}>
            Back
          </Button>
          <Button
            kind="ink"
            icon="retry"
            disabled={users === undefined || users === 0 || retry.isPending}
            onClick={() => retry.mutate({ path, body: request })}
          >
            {users === undefined ? 'Retry' : `Retry ${countOf(users, 'user')}`}
          </Button>
        </>
      }
    >
      {preview.data ? (
        <Effects effects={describeGroups(preview.data)} />
      ) : (
        preview.error === null && (
          <div className="h-30 border border-line rounded-md" role="status" aria-label="Users are being counted" />
        )
      )}
      <IncludedReasons rows={findImpliedRows(rows, selected)} />
      <p className="t2">
        A new run retries them: each user begins with the failed step, and no user gets a step twice. The figures of
        this report do not change; it shows the results of the retry separately.
      </p>
      {(retry.error ?? preview.error) !== null && <Refused error={retry.error ?? preview.error} />}
    </Dialog>
  );
}

const maxReasons = 5;

function describeGroups({ groups }: Retry): Effect[] {
  const byReason = Map.groupBy(groups, ({ step, reason }) => `${step} ${reason}`);
  const rows = [...byReason.values()]
    .map((group) => ({
      ...group[0],
      users: group.reduce((sum, { users }) => sum + users, 0),
      countries: group.map(({ country }) => country),
    }))
    .sort((a, b) => b.users - a.users);
  const effects: Effect[] = rows
    .slice(0, maxReasons)
    .map(({ step = 0, action = '', reason = '', users, countries }) => ({
      key: `${step} ${reason}`,
      value: formatCount(users),
      unit: users === 1 ? 'user' : 'users',
      children: (
        <>
          <strong>
            Begin with step {step}, {quotedTitleOf(action)}.
          </strong>{' '}
          Failed with <code>{reason}</code> in {joinWords(countries)}.
        </>
      ),
    }));
  const rest = rows.slice(maxReasons);
  if (rest.length === 0) return effects;
  const users = rest.reduce((sum, row) => sum + row.users, 0);
  return [
    ...effects,
    {
      key: 'rest',
      value: formatCount(users),
      unit: 'users',
      children: <>With {countOf(rest.length, 'more reason')}.</>,
    },
  ];
}

function IncludedReasons({ rows }: { rows: readonly ReasonRow[] }) {
  if (rows.length === 0) return null;
  const words = rows.map(({ step, reason, users }) => `${formatCount(users)} with ${reason} in step ${step}`);
  return (
    <p className="hint c-warn">
      {joinWords(words)} {rows.length === 1 ? 'is' : 'are'} included: reasons and steps are selected together.
    </p>
  );
}
