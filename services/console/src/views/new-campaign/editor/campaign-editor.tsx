import { useNavigate } from '@tanstack/react-router';
import { memo, useEffect, useState } from 'react';
import { linkAfterStart } from '../../../parts/campaign/follow-start.ts';
import { isPressed, usePressed } from '../../../parts/browser/press.ts';
import { EditorPage } from './editor-page.tsx';
import { sectionOf } from '../form/problem-places.ts';
import { StartDialog } from '../review/start-dialog.tsx';
import { showSection } from './step-rail.tsx';
import { useEditor, type EditorDeps } from '../form/use-editor.ts';

/**
 * The page of the editor, which does not render while the pointer is pressed. Pressing a button leaves a field and
 * reveals its problems. They appear only after the click, so that the button does not move.
 */
const StablePage = memo(EditorPage, isPressed);

export function CampaignEditor(deps: EditorDeps) {
  const editor = useEditor(deps);
  const navigate = useNavigate();
  const [isStarting, setStarting] = useState(false);
  const [focusRequest, setFocusRequest] = useState({ pointer: '', times: 0 });
  const { problems, save, standing, isAwaitingPreview } = editor;
  usePressed();

  // Focuses the requested problem, or the first one, after the problems have been rendered.
  useEffect(() => {
    if (focusRequest.times > 0) focusOn(focusRequest.pointer);
  }, [focusRequest]);
  const show = (pointer: string) => {
    editor.markTried();
    setFocusRequest(({ times }) => ({ pointer, times: times + 1 }));
  };
  const saveDraft = async () => {
    editor.markTried();
    try {
      const saved = await save.mutateAsync();
      await navigate({ to: '/campaigns/$campaignId/edit', params: { campaignId: saved.id }, replace: true });
    } catch {
      show('');
    }
  };
  const startOrShowProblems = () => (problems.length > 0 ? show('') : setStarting(true));
  if (isAwaitingPreview && !standing.isBehind) {
    editor.setAwaitingPreview(false);
    startOrShowProblems();
  }

  return (
    <>
      <StablePage
        editor={editor}
        copiedFrom={deps.copiedFrom?.name ?? null}
        onShow={show}
        onSave={() => void saveDraft()}
        onStart={() => (standing.isBehind ? editor.setAwaitingPreview(true) : startOrShowProblems())}
      />
      {isStarting && (
        <StartDialog
          editor={editor}
          onClose={() => setStarting(false)}
          onRefused={() => {
            setStarting(false);
            show('');
          }}
          onStarted={(campaign) => void navigate(linkAfterStart(campaign))}
        />
      )}
    </>
  );
}

/**
 * @param pointer pointer of a problem; the first problem on the page is focused if the pointer is empty or has no field
 */
function focusOn(pointer: string): void {
  const wrong = [...document.querySelectorAll<HTMLElement>('[data-wrong]')];
  const section = sectionOf(pointer);
  const [first] = wrong;
  const target = pointer === '' ? first : fieldOf(pointer, wrong);
  if (target) {
    const control = target.matches('[role=group]')
      ? target.querySelector<HTMLElement>('input:not([type=file]), select, textarea')
      : null;
    (control ?? target).focus();
    target.scrollIntoView({ block: 'center' });
    return;
  }
  if (section !== null) showSection(section);
}

/** Returns the field of a pointer. If there is none, returns the field of the nearest enclosing pointer. */
function fieldOf(pointer: string, fields: readonly HTMLElement[]): HTMLElement | undefined {
  const around = (field: HTMLElement) => `${pointer}/`.startsWith(`${field.dataset['pointer'] ?? ' '}/`);
  return fields.filter(around).sort((a, b) => depthOf(b) - depthOf(a))[0];
}

function depthOf(field: HTMLElement): number {
  return field.dataset['pointer']?.length ?? 0;
}
