import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import type { Approval } from '#client/types.gen.ts';
import { approvalLook, describeApprovalOutcome, usersAtMost } from '../../parts/campaign/approval-words.ts';
import { Icon } from '../../parts/icon/icon.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { StartTime } from '../../parts/when/start-time.tsx';
import { countOf } from '../../parts/words/numbers.ts';

interface ApprovalListProps {
  title: string;
  note: string;
  items: readonly Approval[];
  selectedId: string | undefined;
  children: ReactNode;
}

export function ApprovalList({ title, note, items, selectedId: selectedId, children }: ApprovalListProps) {
  return (
    <Panel title={title} note={`${items.length}, ${note}`}>
      {items.length === 0 && <p className="pad t3 sm">{children}</p>}
      <ul>
        {items.map((approval) => (
          <li key={approval.id} className="border-t border-line first:border-0">
            <Entry approval={approval} isSelected={approval.id === selectedId} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}

const tones = { ok: 'c-ok', warn: 'c-warn', bad: 'c-bad', idle: 't2' } as const;

function Entry({ approval, isSelected }: { approval: Approval; isSelected: boolean }) {
  const { id, campaignName, revision, runId, state, startsAt, stateSince, refusedToYou, covers } = approval;
  const { icon, tone } = approvalLook(approval);
  const isWaiting = state === 'waiting';
  return (
    <Link
      to="/approvals"
      search={{ id }}
      className={`grid gap-px py-2.25 pr-3.5 pl-3 leading-4.5 hover:bg-sunken ${isSelected ? 'bg-(--accent-bg)' : ''}`}
      {...(isSelected && { 'aria-current': 'true' as const })}
    >
      <span className="row items-start gap-1.75">
        <span className={`pt-0.5 ${isWaiting && refusedToYou !== null ? 't3' : tones[tone]}`}>
          <Icon name={isWaiting && refusedToYou !== null ? 'lock' : icon} size={14} />
        </span>
        <span className="font-medium wrap-anywhere">{campaignName}</span>
      </span>
      <span className="sm t2 pl-5.25 wrap-anywhere">
        {isWaiting
          ? `${runId === null ? `revision ${revision}` : 'one run'} · ${countOf(usersAtMost(approval), 'user')} at most`
          : describeApprovalOutcome(approval)}
      </span>
      <span className="sm t3 pl-5.25">
        {!isWaiting ? (
          <Time instant={stateSince} />
        ) : startsAt === null ? (
          'when it is started'
        ) : (
          <>
            starts <StartTime instant={startsAt} schedule={covers.schedule} />
          </>
        )}
      </span>
    </Link>
  );
}
