import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { previewAudience } from '#client/sdk.gen.ts';
import type { AudienceSize, SavedAudience, AudiencePreview } from '#client/types.gen.ts';
import { useRefusal } from '../../../frame/session/session.ts';
import { ExactCountLine } from '../../../parts/audience/exact-count.tsx';
import { UserCountLine } from '../../../parts/audience/user-count-line.tsx';
import { userCountOf } from '../../../parts/audience/user-count.ts';
import { Overlap } from '../../../parts/audience/overlap.tsx';
import { useExactCount } from '../../../parts/audience/use-exact-count.ts';
import { useNamedSources } from '../../../parts/audience/use-sources.ts';
import { CopyableId } from '../../../parts/controls/copy-button.tsx';
import { Panel } from '../../../parts/panels/panel.tsx';
import { RevisionsPanel } from '../../../parts/revisions/revision-list.tsx';
import { plainText } from '../../../parts/words/plain-text.ts';
import { AudienceActions } from '../detail/audience-actions.tsx';
import { DeleteDialog } from '../detail/audience-dialogs.tsx';
import { formatFileEquation } from '../detail/audience-words.ts';
import { KnownSize } from '../detail/known-size.tsx';
import { AudienceForm } from '../new/audience-form.tsx';
import { RejectedLines } from '../detail/rejected-lines.tsx';
import { sideBySideClasses, UsedBy } from '../detail/used-by.tsx';
import { SourcesTable } from './sources-table.tsx';

interface SavedDetailProps {
  saved: SavedAudience;
  /** Size from the list; null if unknown. */
  size: AudienceSize | null;
  onGone: () => Promise<void>;
  onFile: ((file: File) => void) | undefined;
}

export function SavedDetail({ saved, size, onGone, onFile }: SavedDetailProps) {
  const { id, revision, name, description, owner, countries, audience, usedBy } = saved;
  const { include, exclude } = audience;
  const refusal = useRefusal('manager');
  const count = useExactCount(size?.countId ?? null);
  const sources = useNamedSources(audience);
  const [openDialog, setOpenDialog] = useState<'change' | 'delete'>();
  const close = () => setOpenDialog(undefined);
  const estimate = useQuery({
    queryKey: ['previewAudience', id, revision],
    queryFn: async ({ signal }) => (await previewAudience({ body: { id }, signal, throwOnError: true })).data,
    enabled: refusal === undefined,
    staleTime: 60_000,
    retry: false,
  });
  const question = { countries, audience: { include, ...(exclude && { exclude }) } };
  const includedLists = new Set(include.flatMap((entry) => ('list' in entry ? [entry.list] : [])));
  const withRejects = sources.lists.filter((list) => includedLists.has(list.id) && list.rejected > 0);
  return (
    <div className="grid gap-4 min-w-0">
      <Panel
        title={plainText(name)}
        actions={
          <AudienceActions
            name={plainText(name)}
            newCampaignSearch={{ saved: id }}
            refusal={refusal}
            change={{ words: 'Change…', ask: () => setOpenDialog('change') }}
            onDelete={() => setOpenDialog('delete')}
          />
        }
      >
        <div className="pad">
          <ExactCountLine
            count={count}
            question={question}
            refusal={refusal}
            isLarge
            isSummed
            estimate={
              size?.exact === true ? (
                <KnownSize size={size} countries={countries} />
              ) : (
                <Estimated estimate={estimate} refusal={refusal} />
              )
            }
          />
          {description !== undefined && <p className="mt-1.5 wrap-anywhere">{plainText(description)}</p>}
          <div className="sm t3 row flex-wrap mt-0.5">
            <span>
              {countries.join(', ')}
              {owner !== undefined && ` · owner ${plainText(owner)}`} · revision {revision}
            </span>
            <CopyableId id={id} what="id of the saved audience" />
          </div>
        </div>
        <SourcesTable saved={saved} {...sources} counted={count.counted} estimate={estimate.data} />
      </Panel>
      {withRejects.map((list) => (
        <RejectedLines key={list.id} audience={list} isNamed footer={formatFileEquation(list)} onFile={onFile} />
      ))}
      <div className={sideBySideClasses}>
        <UsedBy
          reference={{ savedAudience: id }}
          uses={{ usedBy, usedBySaved: 0 }}
          emptyText="No campaign uses its sources."
          footer="Campaigns have copies of its sources, so changing or deleting it does not affect them."
        />
        <Panel title="Overlap" padded>
          <Overlap question={question} refusal={refusal} />
        </Panel>
      </div>
      <RevisionsPanel revised={{ kind: 'savedAudience', id, name, revision, refusal }} />
      {openDialog === 'change' && <AudienceForm saved={saved} onClose={close} onSaved={close} />}
      {openDialog === 'delete' && <DeleteDialog audience={saved} onClose={close} onGone={onGone} />}
    </div>
  );
}

interface EstimatedProps {
  estimate: { data: AudiencePreview | undefined; isError: boolean };
  refusal: string | undefined;
}

function Estimated({ estimate: { data, isError }, refusal }: EstimatedProps): ReactNode {
  if (refusal !== undefined) return <span className="t3">Only managers see an estimate</span>;
  if (isError) return <span className="t3">Unknown: the estimate failed</span>;
  if (!data) return <span className="t3">estimating…</span>;
  return <UserCountLine size={userCountOf(data.users, data.asOf)} isLarge />;
}
