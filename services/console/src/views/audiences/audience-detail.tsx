import { useState } from 'react';
import type { UploadedAudience } from '#client/types.gen.ts';
import { largeNumber } from '../../parts/audience/how-many-line.tsx';
import { Overlap } from '../../parts/audience/overlap.tsx';
import { CopyableId } from '../../parts/controls/copy-button.tsx';
import { Panel } from '../../parts/panels/panel.tsx';
import { Time } from '../../parts/times/time.tsx';
import { capitalOf } from '../../parts/words/figures.ts';
import { formatCount } from '../../parts/words/numbers.ts';
import { plainText } from '../../parts/words/plain-text.ts';
import { AudienceActions } from './audience-actions.tsx';
import { ChangeListDialog, DeleteDialog } from './audience-dialogs.tsx';
import { byCountry, fileEquation } from './audience-words.ts';
import { ListEnd, useIsSoon } from './list-end.tsx';
import { RejectedLines } from './rejected-lines.tsx';
import { sideBySide, UsedBy } from './used-by.tsx';

interface AudienceDetailProps {
  audience: UploadedAudience;
  refusal: string | undefined;
  onGone: () => Promise<void>;
  onFile: ((file: File) => void) | undefined;
}

export function AudienceDetail({ audience, refusal, onGone, onFile }: AudienceDetailProps) {
  const { id, name, owner, state, cause, users, rejected, usedBy, expiresAt } = audience;
  const isSoon = useIsSoon(expiresAt);
  const [asked, setAsked] = useState<'change' | 'delete'>();
  const close = () => setAsked(undefined);
  return (
    <div className="grid gap-4 min-w-0">
      <Panel
        title={plainText(name)}
        actions={
          <AudienceActions
            name={plainText(name)}
            taken={state === 'ready' ? { list: id } : undefined}
            refusal={refusal}
            change={{ words: 'Change…', ask: () => setAsked('change') }}
            onDelete={() => setAsked('delete')}
          />
        }
        {...(state === 'ready' && { footer: fileEquation(audience) })}
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
              ? `${capitalOf(cause ?? 'it failed')}. Nothing of it can be used: upload it again.`
              : `Rows come in, or are sorted; ${formatCount(audience.rows)} so far. Campaigns can name it when it is whole.`}
          </p>
        )}
        <div className="sm t3 row flex-wrap mt-0.5">
          {state === 'ready' && <span>{byCountry(audience)}</span>}
          {owner !== null && <span>owner {plainText(owner)}</span>}
          <CopyableId id={id} what="id of the list" />
        </div>
        {expiresAt !== null && (
          <p className={isSoon ? 'sm c-warn mt-0.5' : 'sm t3 mt-0.5'}>
            Deleted on <ListEnd expiresAt={expiresAt} />: {usedBy === 0 ? 'nothing uses it' : 'drafts keep no list'}. A
            campaign that is scheduled or runs keeps it, and so does a saved audience.
          </p>
        )}
      </Panel>
      {rejected > 0 && <RejectedLines audience={audience} onFile={onFile} />}
      <div className={sideBySide}>
        <UsedBy
          of={{ list: id }}
          uses={audience}
          none="No campaign and no saved audience names it."
          footer="Delete waits until no saved audience names it, and no campaign that is scheduled or runs."
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
      {asked === 'change' && <ChangeListDialog audience={audience} onClose={close} />}
      {asked === 'delete' && <DeleteDialog audience={audience} onClose={close} onGone={onGone} />}
    </div>
  );
}
