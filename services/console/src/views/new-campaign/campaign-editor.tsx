import { useNavigate } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { problemOf } from '../../api/problems.ts';
import { useRefusal } from '../../frame/session/session.ts';
import { Button } from '../../parts/button.tsx';
import { TextInput } from '../../parts/controls.tsx';
import { FormField, FormProblemsContext } from '../../parts/form-field.tsx';
import { Icon } from '../../parts/icon.tsx';
import { StateBadge } from '../../parts/state-badge.tsx';
import { Time } from '../../parts/time.tsx';
import { AudienceSection } from './audience-section.tsx';
import { ChainSection } from './chain-section.tsx';
import { LimitsSection } from './limits-section.tsx';
import styles from './new-campaign.module.css';
import { sectionOf } from './problem-places.ts';
import { ReviewPanel } from './review-panel.tsx';
import { StartDialog } from './start-dialog.tsx';
import { showSection, StepRail } from './step-rail.tsx';
import { useEditor, type EditorDeps } from './use-editor.ts';
import { WhenSection } from './when-section.tsx';

interface CampaignEditorProps extends EditorDeps {
  /** The campaign that it was copied from. */
  copiedFrom: string | null;
}

/** One page for all of a campaign: its parts one below the other, the way to them on the left, and what comes of it on the right. */
export function CampaignEditor({ copiedFrom, ...deps }: CampaignEditorProps) {
  const editor = useEditor(deps);
  const navigate = useNavigate();
  const [isStarting, setStarting] = useState(false);
  const [shown, setShown] = useState({ pointer: '', times: 0 });
  const { form, draft, problems, kept, save } = editor;
  const refusal = useRefusal('manager');

  // Once the problems are told: the first of them, or the one that was asked for.
  useEffect(() => {
    if (shown.times > 0) focusOn(shown.pointer);
  }, [shown]);
  const show = (pointer: string) => {
    editor.tryIt();
    setShown(({ times }) => ({ pointer, times: times + 1 }));
  };
  const saveDraft = async () => {
    editor.tryIt();
    try {
      const saved = await save.mutateAsync();
      await navigate({ to: '/campaigns/$campaignId/edit', params: { campaignId: saved.id }, replace: true });
    } catch {
      show('');
    }
  };

  return (
    <FormProblemsContext value={editor.fields}>
      <h1 className="vh">{draft === null ? 'New campaign' : `Draft ${draft.name}`}</h1>
      <div className={`head ${styles['head']}`}>
        <div className={styles['title']}>
          <FormField pointer="/name" label="Name of the campaign" className={styles['name']}>
            {(control) => (
              <TextInput
                {...control}
                placeholder="Name of the campaign"
                value={form.name}
                onText={(name) => editor.change({ name })}
              />
            )}
          </FormField>
          <div className="meta">
            <StateBadge state="draft" tinted />
            {copiedFrom !== null && (
              <span>
                Copied from <b>{copiedFrom}</b>
              </span>
            )}
            <SavedWhen editor={editor} />
          </div>
        </div>
        <div className="row push">
          <Button
            refusal={refusal}
            disabled={save.isPending || (draft !== null && !kept.isChanged)}
            onClick={() => void saveDraft()}
          >
            {save.isPending ? 'Saving…' : 'Save draft'}
          </Button>
          <Button kind="ink" refusal={refusal} onClick={() => (problems.length > 0 ? show('') : setStarting(true))}>
            {form.when.kind === 'now' ? 'Start…' : 'Schedule…'}
          </Button>
        </div>
      </div>
      {kept.restoredAtMs !== null && (
        <div className="banner info" role="status">
          <Icon name="info" />
          <div>
            What you had not saved was kept in this tab, at <Time instant={new Date(kept.restoredAtMs).toISOString()} />
            .
          </div>
          <div className="acts">
            <Button small onClick={kept.startAnew}>
              {draft === null ? 'Start anew' : 'Back to what is saved'}
            </Button>
          </div>
        </div>
      )}
      {save.isError && problemOf(save.error).errors.length === 0 && <NotSaved error={save.error} />}
      <div className={styles['layout']}>
        <StepRail editor={editor} />
        <form className={styles['form']} noValidate onSubmit={(event) => event.preventDefault()}>
          <AudienceSection editor={editor} />
          <ChainSection editor={editor} />
          <WhenSection editor={editor} />
          <LimitsSection editor={editor} />
        </form>
        <ReviewPanel editor={editor} onShow={show} />
      </div>
      {isStarting && (
        <StartDialog
          editor={editor}
          onClose={() => setStarting(false)}
          onRefused={() => {
            setStarting(false);
            show('');
          }}
          onStarted={({ id }) => void navigate({ to: '/campaigns/$campaignId', params: { campaignId: id } })}
        />
      )}
    </FormProblemsContext>
  );
}

function SavedWhen({ editor: { draft, kept } }: { editor: ReturnType<typeof useEditor> }) {
  if (kept.isChanged) return <span>Not saved yet; kept in this tab</span>;
  return draft === null ? null : (
    <span>
      Saved as revision <b>{draft.revision}</b>
    </span>
  );
}

function NotSaved({ error }: { error: unknown }) {
  const { detail, status } = problemOf(error);
  return (
    <div className="banner bad" role="alert">
      <Icon name="failed" />
      <div>
        <b>{status === 412 ? 'Somebody else has changed this draft' : 'It was not saved'}</b> {detail}. What is written
        is kept in this tab.
      </div>
    </div>
  );
}

/** @param pointer of a problem; the first one on the page where it is empty, or has no field */
function focusOn(pointer: string): void {
  const wrong = [...document.querySelectorAll<HTMLElement>('[data-wrong]')];
  const section = sectionOf(pointer);
  const [first] = wrong;
  const meant = pointer === '' ? first : wrong.find((each) => each.dataset['pointer'] === pointer);
  if (meant) {
    const control = meant.matches('[role=group]')
      ? meant.querySelector<HTMLElement>('input:not([type=file]), select, textarea')
      : null;
    (control ?? meant).focus();
    meant.scrollIntoView({ block: 'center' });
    return;
  }
  if (section !== null) showSection(section);
}
