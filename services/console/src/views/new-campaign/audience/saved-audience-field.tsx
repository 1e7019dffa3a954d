import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { getAudienceOptions } from '#client/@tanstack/react-query.gen.ts';
import { useRefusal } from '../../../frame/session/session.ts';
import { SavedAudienceEditor } from '../../../parts/audience/saved-audience-editor.tsx';
import { copySources, type CopiedAudience } from '../../../parts/audience/source-form.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { ProblemsAt } from '../../../parts/forms/form-field.tsx';
import { plainText } from '../../../parts/words/plain-text.ts';
import type { Editor } from '../form/use-editor.ts';
import { SaveDialog } from './save-dialog.tsx';

/** Fields that copy a saved audience into the form, or save the form's audience for other campaigns. */
export function SavedAudienceField({ editor }: { editor: Editor }) {
  const { form, change } = editor;
  const [open, setOpen] = useState<'take' | 'save' | null>(null);
  const refusal = useRefusal('manager');
  const close = () => setOpen(null);
  const hasSources = form.countries.length > 0 && form.include.length > 0;
  const applySaved = (saved: CopiedAudience) => {
    change({ ...(form.countries.length === 0 && { countries: saved.countries }), ...copySources(saved) });
    close();
  };
  return (
    <div>
      <div className="row flex-wrap gap-y-1 phone:[&_button]:h-10">
        {form.savedAudience !== null && <SavedAudienceLink {...form.savedAudience} />}
        <Button small aria-expanded={open === 'take'} onClick={() => setOpen(open === 'take' ? null : 'take')}>
          Use a saved audience…
        </Button>
        {form.savedAudience === null && (
          <Button
            small
            refusal={refusal ?? (hasSources ? undefined : 'Add countries and sources first')}
            onClick={() => setOpen('save')}
          >
            Save this audience…
          </Button>
        )}
      </div>
      <ProblemsAt pointer="/savedAudience" />
      {open === 'take' && (
        <SavedAudienceEditor replaces={form.include.length + form.exclude.length} onAdd={applySaved} onCancel={close} />
      )}
      {open === 'save' && (
        <SaveDialog editor={editor} onSaved={(savedAudience) => change({ savedAudience })} onClose={close} />
      )}
    </div>
  );
}

function SavedAudienceLink({ id, revision }: { id: string; revision: number }) {
  const saved = useQuery({ ...getAudienceOptions({ path: { id } }), staleTime: 60_000, retry: false });
  const isChanged = saved.data?.kind === 'saved' && saved.data.revision !== revision;
  return (
    <span className="t2 flex-1 min-w-0 basis-40">
      {saved.isError ? (
        'Copied from a saved audience that was deleted'
      ) : (
        <>
          Copied from{' '}
          <Link className="link" to="/audiences" search={{ of: 'saved', id }}>
            {saved.data ? plainText(saved.data.name) : id}
          </Link>
          , revision {revision}
          {isChanged && <span className="c-warn">; changed since: use it again to get the current sources</span>}
        </>
      )}
    </span>
  );
}
