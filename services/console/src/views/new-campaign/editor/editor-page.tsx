import { Link } from '@tanstack/react-router';
import { problemOf } from '../../../api/problems.ts';
import { useRefusal } from '../../../frame/session/session.ts';
import { Button } from '../../../parts/controls/button.tsx';
import { FormField, FormProblemsContext } from '../../../parts/forms/form-field.tsx';
import { Icon } from '../../../parts/icon/icon.tsx';
import { StateBadge } from '../../../parts/standing/state-badge.tsx';
import { Time } from '../../../parts/times/time.tsx';
import { AudienceSection } from '../audience/audience-section.tsx';
import { ChainSection } from '../chain/chain-section.tsx';
import { LimitsSection } from '../limits/limits-section.tsx';
import { ReviewPanel } from '../review/review-panel.tsx';
import { StepRail } from './step-rail.tsx';
import type { Editor } from '../form/use-editor.ts';
import { WhenSection } from '../when/when-section.tsx';

export interface EditorPageProps {
  editor: Editor;
  copiedFrom: string | null;
  /** @param pointer pointer of the problem to focus */
  onShow: (pointer: string) => void;
  onSave: () => void;
  onStart: () => void;
}

export function EditorPage({ editor, copiedFrom, onShow, onSave, onStart }: EditorPageProps) {
  const { draft, save } = editor;
  return (
    <FormProblemsContext value={editor.fields}>
      <h1 className="sr-only">{draft === null ? 'New campaign' : `Draft ${draft.name}`}</h1>
      <div className="head items-start">
        <div className="flex-1 min-w-0 max-w-160 phone:w-full">
          <NameField editor={editor} />
          <div className="meta gap-y-1 mt-1.5">
            <StateBadge state="draft" tinted />
            {copiedFrom !== null && (
              <span>
                Copied from <b>{copiedFrom}</b>
              </span>
            )}
            <SaveStatus editor={editor} />
          </div>
        </div>
        <EditorActions editor={editor} onSave={onSave} onStart={onStart} />
      </div>
      <RestoredNotice editor={editor} />
      {save.isError && problemOf(save.error).errors.length === 0 && <SaveFailed error={save.error} />}
      <div className="editor">
        <StepRail editor={editor} />
        <form className="grid gap-4 min-w-0" noValidate onSubmit={(event) => event.preventDefault()}>
          <AudienceSection editor={editor} />
          <ChainSection editor={editor} />
          <WhenSection editor={editor} />
          <LimitsSection editor={editor} />
        </form>
        <ReviewPanel editor={editor} onShow={onShow} />
      </div>
    </FormProblemsContext>
  );
}

function NameField({ editor: { form, change, draft } }: { editor: Editor }) {
  const isNew = draft === null && form.name === '';
  return (
    <FormField pointer="/name" label="Name of the campaign" isLabelHidden>
      {(control) => (
        <input
          {...control}
          className="inp title-input w-full h-9 px-2 -ml-2.25 text-xl font-semibold tracking-[-0.012em] phone:h-11 phone:ml-0"
          autoComplete="off"
          spellCheck={false}
          placeholder="Name of the campaign"
          autoFocus={isNew}
          value={form.name}
          onChange={({ target }) => change({ name: target.value })}
        />
      )}
    </FormField>
  );
}

function EditorActions({ editor, onSave, onStart }: Pick<EditorPageProps, 'editor' | 'onSave' | 'onStart'>) {
  const { form, draft, kept, save, isAwaitingPreview } = editor;
  const refusal = useRefusal('manager');
  return (
    <div className="row ml-auto">
      <Button refusal={refusal} disabled={save.isPending || (draft !== null && !kept.isChanged)} onClick={onSave}>
        {save.isPending ? 'Saving…' : 'Save draft'}
      </Button>
      <Button kind="ink" refusal={refusal} aria-busy={isAwaitingPreview} onClick={onStart}>
        {isAwaitingPreview ? 'Checking…' : form.when.kind === 'now' ? 'Start…' : 'Schedule…'}
      </Button>
    </div>
  );
}

function RestoredNotice({ editor: { kept, draft } }: { editor: Editor }) {
  if (kept.restoredAtMs === null) return null;
  return (
    <div className="banner info" role="status">
      <Icon name="info" />
      <div>
        Your unsaved changes were kept in this tab at <Time instant={new Date(kept.restoredAtMs).toISOString()} />.
      </div>
      <div className="acts">
        <Button small onClick={kept.discardInput}>
          {draft === null ? 'Discard and start over' : 'Restore the saved version'}
        </Button>
      </div>
    </div>
  );
}

function SaveStatus({ editor: { draft, kept } }: { editor: Editor }) {
  if (kept.isChanged) return <span>Not saved yet; kept in this tab</span>;
  return draft === null ? null : (
    <>
      <span>
        Saved as revision <b>{draft.revision}</b>
      </span>
      <Link className="link" to="/campaigns/$campaignId" params={{ campaignId: draft.id }}>
        Test and dry run
      </Link>
    </>
  );
}

function SaveFailed({ error }: { error: unknown }) {
  const { detail, status } = problemOf(error);
  return (
    <div className="banner bad" role="alert">
      <Icon name="failed" />
      <div>
        <b>{status === 412 ? 'Another person has changed this draft' : 'The draft was not saved'}</b> {detail}. Your
        input is kept in this tab.
      </div>
    </div>
  );
}
