// @vitest-environment happy-dom
import { act, cleanup, renderHook } from '@testing-library/react';
import { afterEach, describe, expect, it } from 'vitest';
import { newForm } from '../../../parts/campaign/form-definition.ts';
import { useKeptForm } from './use-kept-form.ts';

const saved = newForm('Asia/Singapore');
const openEditor = () => renderHook(() => useKeptForm(saved, 'new'));

function typeName(editor: ReturnType<typeof openEditor>, name: string): void {
  act(() => editor.result.current.setForm((form) => ({ ...form, name })));
}

describe('a form with unsaved input', () => {
  afterEach(() => {
    cleanup();
    localStorage.clear();
    sessionStorage.clear();
  });

  it('is kept when the user leaves the page immediately', () => {
    const editor = openEditor();
    typeName(editor, 'Payday');
    editor.unmount();
    const { form, restoredAtMs } = openEditor().result.current;
    expect(form.name).toBe('Payday');
    expect(restoredAtMs).not.toBeNull();
  });

  it('is kept when the user closes the window immediately', () => {
    typeName(openEditor(), 'Payday');
    dispatchEvent(new Event('pagehide'));
    expect(openEditor().result.current.form.name).toBe('Payday');
  });

  it.each(['markSaved', 'discardInput'] as const)('is not kept if the user leaves the page right after %s', (end) => {
    const editor = openEditor();
    typeName(editor, 'Payday');
    act(() => {
      editor.result.current[end]();
      editor.unmount();
    });
    expect(openEditor().result.current.form.name).toBe('');
  });

  it('keeps a change that was typed while the form was being saved', () => {
    const editor = openEditor();
    typeName(editor, 'Payday');
    const { markSaved } = editor.result.current;
    typeName(editor, 'Payday, November');
    act(markSaved);
    editor.unmount();
    expect(openEditor().result.current.form.name).toBe('Payday, November');
  });
});
