import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { getAudienceOptions } from '#client/@tanstack/react-query.gen.ts';
import { useRefusal } from '../../../frame/session/session.ts';
import { SavedAsk } from '../../../parts/audience/saved-ask.tsx';
import { takenFrom, type TakenAudience } from '../../../parts/campaign/form-definition.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { ProblemsAt } from '../../../parts/forms/form-field.tsx';
import { plainText } from '../../../parts/words/plain-text.ts';
import type { Editor } from '../editor/use-editor.ts';
import { SaveDialog } from './save-dialog.tsx';

/** Saved audience of the form: copied from an existing one, or saved for further campaigns. */
export function SavedAs({ editor }: { editor: Editor }) {
  const { form, change } = editor;
  const [open, setOpen] = useState<'take' | 'save' | null>(null);
  const refusal = useRefusal('manager');
  const close = () => setOpen(null);
  const isSaid = form.countries.length > 0 && form.include.length > 0;
  const take = (saved: TakenAudience) => {
    change({ ...(form.countries.length === 0 && { countries: saved.countries }), ...takenFrom(saved) });
    close();
  };
  return (
    <div>
      <div className="row flex-wrap gap-y-1 phone:[&_button]:h-10">
        {form.savedAudience !== null && <Taken {...form.savedAudience} />}
        <Button small aria-expanded={open === 'take'} onClick={() => setOpen(open === 'take' ? null : 'take')}>
          Take a saved audience…
        </Button>
        {form.savedAudience === null && (
          <Button
            small
            refusal={refusal ?? (isSaid ? undefined : 'Name countries and whom to include first')}
            onClick={() => setOpen('save')}
          >
            Save this audience…
          </Button>
        )}
      </div>
      <ProblemsAt pointer="/savedAudience" />
      {open === 'take' && (
        <SavedAsk replaces={form.include.length + form.exclude.length} onAdd={take} onCancel={close} />
      )}
      {open === 'save' && (
        <SaveDialog editor={editor} onSaved={(savedAudience) => change({ savedAudience })} onClose={close} />
      )}
    </div>
  );
}

function Taken({ id, revision }: { id: string; revision: number }) {
  const saved = useQuery({ ...getAudienceOptions({ path: { id } }), staleTime: 60_000, retry: false });
  const isChanged = saved.data?.kind === 'saved' && saved.data.revision !== revision;
  return (
    <span className="t2 flex-1 min-w-0 basis-40">
      {saved.isError ? (
        'Taken from a saved audience that is gone'
      ) : (
        <>
          As saved in{' '}
          <Link className="link" to="/audiences" search={{ of: 'saved', id }}>
            {saved.data ? plainText(saved.data.name) : id}
          </Link>
          , revision {revision}
          {isChanged && <span className="c-warn">; it was changed since, take it anew to follow</span>}
        </>
      )}
    </span>
  );
}
