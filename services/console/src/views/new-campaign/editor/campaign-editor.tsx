import { useNavigate } from '@tanstack/react-router';
import { memo, useEffect, useState } from 'react';
import { afterStart } from '../../../parts/campaign/follow-start.ts';
import { isPressed, usePressed } from '../../../parts/browser/press.ts';
import { EditorPage } from './editor-page.tsx';
import { sectionOf } from '../review/problem-places.ts';
import { StartDialog } from '../review/start-dialog.tsx';
import { showSection } from './step-rail.tsx';
import { useEditor, type EditorDeps } from './use-editor.ts';

/**
 * The page, not rendered during a press. A press on a button leaves a field; its problems are shown after the click, so
 * that the button does not move.
 */
const HeldPage = memo(EditorPage, isPressed);

export function CampaignEditor(deps: EditorDeps) {
  const editor = useEditor(deps);
  const navigate = useNavigate();
  const [isStarting, setStarting] = useState(false);
  const [shown, setShown] = useState({ pointer: '', times: 0 });
  const { problems, save, standing, isAwaited } = editor;
  usePressed();

  // Focuses the first problem, or the requested one, once the problems are rendered.
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
  const startOrTell = () => (problems.length > 0 ? show('') : setStarting(true));
  if (isAwaited && !standing.isBehind) {
    editor.setAwaited(false);
    startOrTell();
  }

  return (
    <>
      <HeldPage
        editor={editor}
        copiedFrom={deps.copiedFrom?.name ?? null}
        onShow={show}
        onSave={() => void saveDraft()}
        onStart={() => (standing.isBehind ? editor.setAwaited(true) : startOrTell())}
      />
      {isStarting && (
        <StartDialog
          editor={editor}
          onClose={() => setStarting(false)}
          onRefused={() => {
            setStarting(false);
            show('');
          }}
          onStarted={(campaign) => void navigate(afterStart(campaign))}
        />
      )}
    </>
  );
}

/** @param pointer pointer of a problem; if it is empty or has no field, the first problem on the page */
function focusOn(pointer: string): void {
  const wrong = [...document.querySelectorAll<HTMLElement>('[data-wrong]')];
  const section = sectionOf(pointer);
  const [first] = wrong;
  const meant = pointer === '' ? first : fieldOf(pointer, wrong);
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

/** Returns the field of a pointer, else the nearest enclosing one. */
function fieldOf(pointer: string, fields: readonly HTMLElement[]): HTMLElement | undefined {
  const around = (field: HTMLElement) => `${pointer}/`.startsWith(`${field.dataset['pointer'] ?? ' '}/`);
  return fields.filter(around).sort((a, b) => depthOf(b) - depthOf(a))[0];
}

function depthOf(field: HTMLElement): number {
  return field.dataset['pointer']?.length ?? 0;
}
