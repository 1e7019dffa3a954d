import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { diffTemplateRevisionsOptions, listTemplateRevisionsOptions } from '#client/@tanstack/react-query.gen.ts';
import { restoreTemplateRevision } from '#client/sdk.gen.ts';
import type { ListedRevision, Template } from '#client/types.gen.ts';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { DifferencesTable } from '../../parts/campaign/differences-table.tsx';
import { Button } from '../../parts/controls/button.tsx';
import { Dialog } from '../../parts/overlays/dialog.tsx';
import { Time } from '../../parts/times/time.tsx';
import { placeInTemplate } from './template-places.ts';

const shownAtOnce = 50;

/** Earlier revisions of a template, newest first, with their changes and a preview of a restore. */
export function RevisionsDialog({ template, onClose }: { template: Template; onClose: () => void }) {
  const { id, name, revision: newest } = template;
  const [shown, setShown] = useState<Shown | null>(null);
  const revisions = useQuery(listTemplateRevisionsOptions({ path: { id }, query: { limit: shownAtOnce } }));
  return (
    <Dialog
      isWide
      title={`Revisions of “${name}”`}
      lead="Campaigns that were made from one stay as they are."
      onClose={onClose}
      actions={
        <Button onClick={onClose} data-autofocus>
          Close
        </Button>
      }
    >
      {revisions.error !== null && <Told error={revisions.error} />}
      <ul>
        {revisions.data?.items.map((each) => (
          <Revision
            key={each.revision}
            listed={each}
            template={template}
            shown={shown?.revision === each.revision ? shown : null}
            onShow={setShown}
            onRestored={onClose}
          />
        ))}
      </ul>
      {typeof revisions.data?.next === 'string' && (
        <p className="t3 sm">
          The {shownAtOnce} newest of {newest}; the API has the others.
        </p>
      )}
    </Dialog>
  );
}

interface Shown {
  verb: 'changes' | 'restore';
  revision: number;
}

interface RevisionProps {
  listed: ListedRevision;
  template: Template;
  shown: Shown | null;
  onShow: (shown: Shown | null) => void;
  onRestored: () => void;
}

function Revision({ listed: { revision, name, createdAt }, template, shown, onShow, onRestored }: RevisionProps) {
  const { revision: newest } = template;
  const refusal = useRefusal('manager');
  const toggle = (verb: Shown['verb']) => onShow(shown?.verb === verb ? null : { verb, revision });
  return (
    <li className="grid gap-2 py-2 border-t border-line first:border-0">
      <div className="row flex-wrap gap-y-1">
        <span className="flex-1 min-w-0 basis-40">
          <b>Revision {revision}</b>
          <span className="t3">
            {revision === newest && ' as it is now'} · <Time instant={createdAt} />
          </span>
          {name !== template.name && <span className="block t2 sm wrap-anywhere">{name}</span>}
        </span>
        {revision > 1 && (
          <Button
            small
            aria-expanded={shown?.verb === 'changes'}
            label={`What changed in revision ${revision}`}
            onClick={() => toggle('changes')}
          >
            What changed
          </Button>
        )}
        {revision < newest && (
          <Button
            small
            refusal={refusal}
            aria-expanded={shown?.verb === 'restore'}
            label={`Restore revision ${revision}`}
            onClick={() => toggle('restore')}
          >
            Restore…
          </Button>
        )}
      </div>
      {shown?.verb === 'changes' && <Differences id={template.id} from={revision - 1} to={revision} />}
      {shown?.verb === 'restore' && <Restore {...{ template, revision, onRestored }} />}
    </li>
  );
}

/** Preview of a restored revision, with a button that restores it. */
function Restore({
  template,
  revision,
  onRestored,
}: Pick<RevisionProps, 'template' | 'onRestored'> & { revision: number }) {
  const { id, revision: newest } = template;
  const queries = useQueryClient();
  const restore = useMutation({
    mutationFn: () => restoreTemplateRevision({ path: { id, revision }, throwOnError: true }),
    onSuccess: async () => {
      await queries.invalidateQueries();
      onRestored();
    },
  });
  return (
    <div className="grid gap-2">
      <Differences id={id} from={newest} to={revision} />
      <div className="row">
        <Button small kind="ink" disabled={restore.isPending} onClick={() => restore.mutate()}>
          Restore it as revision {newest + 1}
        </Button>
        {restore.isError && <Told error={restore.error} />}
      </div>
    </div>
  );
}

function Differences({ id, from, to }: { id: string; from: number; to: number }) {
  const diff = useQuery(diffTemplateRevisionsOptions({ path: { id, revision: from }, query: { to } }));
  if (diff.error) return <Told error={diff.error} />;
  return diff.data ? <DifferencesTable diff={diff.data} placeOf={placeInTemplate} /> : <p className="t3">asking…</p>;
}

function Told({ error }: { error: unknown }) {
  return (
    <p className="c-bad sm" role="alert">
      {problemOf(error).detail}
    </p>
  );
}
