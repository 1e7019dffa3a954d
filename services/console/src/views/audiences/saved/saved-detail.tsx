import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { estimateSavedAudience } from '#client/sdk.gen.ts';
import type { NamedAudienceSize, SavedAudience, SavedAudienceEstimate } from '#client/types.gen.ts';
import { useRefusal } from '../../../frame/session/session.ts';
import { ExactCountLine } from '../../../parts/audience/exact-count.tsx';
import { Overlap } from '../../../parts/audience/overlap.tsx';
import { SourceUsers, SourceWords } from '../../../parts/audience/source-words.tsx';
import { useExactCount } from '../../../parts/audience/use-exact-count.ts';
import { useEarlierRuns, useLists } from '../../../parts/audience/use-sources.ts';
import { audienceBounds, boundsText } from '../../../parts/campaign/arithmetic.ts';
import { sourceOf } from '../../../parts/campaign/form-definition.ts';
import { usersOfSource } from '../../../parts/campaign/sources.ts';
import { CopyableId } from '../../../parts/controls/copy-button.tsx';
import { Panel } from '../../../parts/panels/panel.tsx';
import { Time } from '../../../parts/times/time.tsx';
import { plainText } from '../../../parts/words/plain-text.ts';
import { AudienceActions } from '../audience-actions.tsx';
import { KnownSize } from '../known-size.tsx';
import { UsedBy } from '../used-by.tsx';
import { DeleteSavedDialog, RenameSavedDialog } from './saved-dialogs.tsx';

interface SavedDetailProps {
  saved: SavedAudience;
  /** As the list says it; null: not known. */
  size: NamedAudienceSize | null;
  onGone: () => Promise<void>;
}

/** One combination: how many it is, what it is made of, and what took it. */
export function SavedDetail({ saved, size, onGone }: SavedDetailProps) {
  const { id, revision, name, description, owner, countries, audience, usedBy } = saved;
  const { include, exclude } = audience;
  const refusal = useRefusal('manager');
  const count = useExactCount();
  const [asked, setAsked] = useState<'rename' | 'delete'>();
  const close = () => setAsked(undefined);
  const estimate = useQuery({
    queryKey: ['savedAudienceEstimate', id, revision],
    queryFn: async ({ signal }) => (await estimateSavedAudience({ path: { id }, signal, throwOnError: true })).data,
    enabled: refusal === undefined,
    staleTime: 60_000,
    retry: false,
  });
  const question = { countries, audience: { include, ...(exclude && { exclude }) } };
  return (
    <div className="grid gap-4 min-w-0">
      <Panel
        title={plainText(name)}
        actions={<AudienceActions taken={{ saved: id }} refusal={refusal} onAsked={setAsked} />}
        padded
      >
        <ExactCountLine
          {...{ count, question, refusal }}
          estimate={
            size?.exact === true ? (
              <KnownSize size={size} countries={countries} />
            ) : (
              <Estimated {...{ estimate, refusal }} />
            )
          }
        />
        {description !== undefined && <p className="mt-1.5 wrap-anywhere">{plainText(description)}</p>}
        <div className="sm t3 row flex-wrap mt-1">
          <span>
            {countries.join(', ')}
            {owner !== undefined && ` · owner ${plainText(owner)}`} · revision {revision}
          </span>
          <CopyableId id={id} what="id of the saved audience" />
        </div>
      </Panel>
      <Sources saved={saved} estimate={estimate.data} />
      <Panel title="Overlap" note="how many are in another source too" padded>
        <Overlap {...{ question, refusal }} />
      </Panel>
      <UsedBy
        of={{ savedAudience: id }}
        usedBy={usedBy}
        none="No campaign took it, or has its sources still."
        footer="They have copies of its sources: a change of it, or its end, changes none of them."
      />
      {asked === 'rename' && <RenameSavedDialog saved={saved} onClose={close} />}
      {asked === 'delete' && <DeleteSavedDialog saved={saved} onClose={close} onGone={onGone} />}
    </div>
  );
}

interface EstimatedProps {
  estimate: { data: SavedAudienceEstimate | undefined; isError: boolean };
  refusal: string | undefined;
}

function Estimated({ estimate: { data, isError }, refusal }: EstimatedProps): ReactNode {
  if (refusal !== undefined) return <span className="t3">Estimated for those who may make campaigns</span>;
  if (isError) return <span className="t3">Not known now: it could not be estimated</span>;
  if (!data) return <span className="t3">estimating…</span>;
  return (
    <>
      <span className="text-lg font-semibold tabular-nums">{boundsText(audienceBounds(data))}</span>{' '}
      <span className="t2">
        users, estimated <Time instant={data.asOf} />
      </span>
    </>
  );
}

/** What it adds and what it leaves out, each with its sign. */
function Sources({ saved, estimate }: { saved: SavedAudience; estimate: SavedAudienceEstimate | undefined }) {
  const lists = useLists();
  const runs = useEarlierRuns();
  const { include, exclude = [] } = saved.audience;
  const lines = [
    ...include.map((entry, index) => ({ role: 'include' as const, index, source: sourceOf(entry) })),
    ...exclude.map((entry, index) => ({ role: 'exclude' as const, index, source: sourceOf(entry) })),
  ];
  return (
    <Panel title="Sources" note="whoever is in one with +, and in none with −">
      <ul>
        {lines.map(({ role, index, source }) => (
          <li
            key={`${role} ${index}`}
            className="flex items-baseline gap-2.5 py-1.5 px-4 border-t border-line first:border-0 phone:flex-wrap"
          >
            <span className="t3 w-3 flex-none">
              <span aria-hidden="true">{role === 'include' ? '+' : '−'}</span>
              <span className="sr-only">{role === 'include' ? 'takes in' : 'leaves out'}</span>
            </span>
            <span className="flex-1 min-w-0 wrap-anywhere phone:basis-[70%]">
              <SourceWords {...{ source, lists, runs }} />
            </span>
            <span className="t2 text-right phone:basis-full phone:pl-5.5 phone:text-left">
              <SourceUsers {...{ source, lists }} users={usersOfSource(estimate, role, index)} />
            </span>
          </li>
        ))}
      </ul>
    </Panel>
  );
}
