import { useState } from 'react';
import type { UploadedAudience } from '#client/types.gen.ts';
import { largeNumber } from '../../parts/audience/user-count-line.tsx';
import { Overlap } from '../../parts/audience/overlap.tsx';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { capitalize } from '../../parts/words/figures.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { AudienceActions } from './detail/audience-actions.tsx';
import { ChangeListDialog, DeleteDialog } from './detail/audience-dialogs.tsx';
import { formatByCountry, formatFileEquation } from './detail/audience-words.ts';
import { ListExpiry, useExpiresSoon } from './detail/list-expiry.tsx';
import { RejectedLines } from './detail/rejected-lines.tsx';
import { sideBySideClasses, UsedBy } from './detail/used-by.tsx';

interface UploadedListDetailProps {
  audience: UploadedAudience;
  refusal: string | undefined;
  onGone: () => Promise<void>;
  onFile: ((file: File) => void) | undefined;
}

export function UploadedListDetail({ audience, refusal, onGone, onFile }: UploadedListDetailProps) {
  const { id, name, owner, state, cause, users, rejected, usedBy, kept, expiresAt } = audience;
  const isSoon = useExpiresSoon(expiresAt);
  const [openDialog, setOpenDialog] = useState<'change' | 'delete'>();
  const close = () => setOpenDialog(undefined);
  return (
    <div className="grid gap-4 min-w-0">
      <Panel
        title={plainText(name)}
        actions={
          <AudienceActions
            name={plainText(name)}
            newCampaignSearch={state === 'ready' ? { list: id } : undefined}
            refusal={refusal}
            change={{ words: 'Change…', ask: () => setOpenDialog('change') }}
            onDelete={() => setOpenDialog('delete')}
          />
        }
        {...(state === 'ready' && { footer: formatFileEquation(audience) })}
        padded
      >
        {state === 'ready' ? (
          <div className="row gap-2.5 items-baseline flex-wrap">
            <span className={largeNumber}>{formatCount(users)}</span>
            <span className="t2">
              users, counted exactly as of <Time instant={audience.readyAt ?? audience.createdAt} />
            </span>
          </div>
        ) : (
          <p className={state === 'failed' ? 'c-bad' : 't2'}>
            {state === 'failed'
              ? `${capitalize(cause ?? 'it failed')}. The list cannot be used: upload the file again.`
              : `Upload in progress: ${formatCount(audience.rows)} lines so far. Campaigns can use the list once it is complete.`}
          </p>
        )}
        <div className="sm t3 row flex-wrap mt-0.5">
          {state === 'ready' && <span>{formatByCountry(audience)}</span>}
          {owner !== null && <span>owner {plainText(owner)}</span>}
          {kept && <span>kept, whatever its age</span>}
          <CopyableId id={id} what="id of the list" />
        </div>
        {expiresAt !== null && (
          <p className={isSoon ? 'sm c-warn mt-0.5' : 'sm t3 mt-0.5'}>
            Deleted on <ListExpiry expiresAt={expiresAt} />: {usedBy === 0 ? 'it is not used' : 'drafts do not keep it'}
            . It is kept while a scheduled or running campaign or a saved audience uses it.
          </p>
        )}
      </Panel>
      {rejected > 0 && <RejectedLines audience={audience} onFile={onFile} />}
      <div className={sideBySideClasses}>
        <UsedBy
          reference={{ list: id }}
          uses={audience}
          emptyText="No campaign and no saved audience uses it."
          footer="It can be deleted once no saved audience and no scheduled or running campaign uses it."
        />
        {state === 'ready' && audience.countries.length > 0 && (
          <Panel title="Overlap" padded>
            <Overlap
              refusal={refusal}
              question={{
                countries: audience.countries.map(({ country }) => country),
                audience: { include: [{ list: id }] },
              }}
            />
          </Panel>
        )}
      </div>
      {openDialog === 'change' && <ChangeListDialog audience={audience} onClose={close} />}
      {openDialog === 'delete' && <DeleteDialog audience={audience} onClose={close} onGone={onGone} />}
    </div>
  );
}
