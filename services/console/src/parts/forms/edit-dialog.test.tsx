// @vitest-environment happy-dom
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { cleanup, render, screen, waitFor } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
import '../../../testing/missing-in-happy-dom.ts';
import { TextInput } from '../controls/controls.tsx';
import { EditDialog } from './edit-dialog.tsx';
import { FormField } from './form-field.tsx';

const onClose = vi.fn<() => void>();
const save = vi.fn<() => Promise<string>>();
const refusedAt = (...errors: { pointer: string; detail: string }[]) => ({
  type: 'urn:muster:problem:invalid',
  title: 'invalid',
  status: 422,
  code: 'invalid',
  requestId: 'req-1',
  detail: 'the request has problems',
  errors: errors.map((each) => ({ ...each, code: 'wrong' })),
});

type Change = Partial<Parameters<typeof EditDialog<string>>[0]>;

function openDialog(change: Change = {}) {
  const queries = new QueryClient();
  const invalidated = vi.spyOn(queries, 'invalidateQueries');
  render(
    <QueryClientProvider client={queries}>
      <EditDialog title="Change a list" lead="Of users" verb="Save" save={save} onClose={onClose} {...change}>
        <FormField pointer="/name" label="Name">
          {(control) => <TextInput {...control} value="riders" onText={() => undefined} />}
        </FormField>
      </EditDialog>
    </QueryClientProvider>,
  );
  return { invalidated, user: userEvent.setup() };
}

const saveButton = () => screen.getByRole('button', { name: 'Save' });

afterEach(() => {
  cleanup();
  vi.resetAllMocks();
});

describe('an edit dialog', () => {
  it('saves, loads all data again, and closes', async () => {
    save.mockResolvedValue('saved');
    const onSaved = vi.fn<(saved: string) => void>();
    const { invalidated, user } = openDialog({ onSaved });
    await user.click(saveButton());
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
    expect(onSaved).toHaveBeenCalledWith('saved');
    expect(invalidated).toHaveBeenCalledOnce();
  });

  it('sends nothing when nothing was changed', async () => {
    const { user } = openDialog({ isUnchanged: true });
    await user.click(saveButton());
    expect(onClose).toHaveBeenCalledOnce();
    expect(save).not.toHaveBeenCalled();
  });

  it('sends nothing when the user cancels', async () => {
    const { user } = openDialog();
    await user.click(screen.getByRole('button', { name: 'Cancel' }));
    expect(onClose).toHaveBeenCalledOnce();
    expect(save).not.toHaveBeenCalled();
  });

  it('cannot be saved while a field is invalid, and shows why at the field', () => {
    openDialog({ wrong: new Map([['/name', 'Has to be a number']]) });
    expect(saveButton().hasAttribute('disabled')).toBe(true);
    expect(screen.getByText('Has to be a number')).toBeDefined();
  });

  it('cannot be saved while it is incomplete', () => {
    openDialog({ isIncomplete: true });
    expect(saveButton().hasAttribute('disabled')).toBe(true);
  });
});

describe('an edit dialog with an outcome', () => {
  it('stays open with the outcome until the user closes it', async () => {
    save.mockResolvedValue('mk_secret');
    const onSaved = vi.fn<(saved: string) => void>();
    const { user } = openDialog({ outcome: (secret) => <p>Shown once: {secret}</p>, onSaved });
    const dialog = screen.getByRole('dialog');
    await user.click(saveButton());
    expect(await screen.findByText('Shown once: mk_secret')).toBeDefined();
    expect(screen.getByRole('dialog')).toBe(dialog);
    expect(onSaved).not.toHaveBeenCalled();
    await user.click(screen.getByRole('button', { name: 'Done' }));
    expect(onSaved).toHaveBeenCalledWith('mk_secret');
    expect(onClose).toHaveBeenCalledOnce();
  });

  it('closes at once when there is nothing to show', async () => {
    save.mockResolvedValue('saved');
    const { user } = openDialog({ outcome: () => null });
    await user.click(saveButton());
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce());
  });
});

describe('an edit dialog whose change is refused', () => {
  it('stays open, with the problem at its field', async () => {
    save.mockRejectedValue(refusedAt({ pointer: '/name', detail: 'is taken' }));
    const { user } = openDialog();
    await user.click(saveButton());
    expect(await screen.findByText(/is taken/i)).toBeDefined();
    expect(onClose).not.toHaveBeenCalled();
  });

  it('shows a problem at its field if the form edits one entry of a list', async () => {
    save.mockRejectedValue(refusedAt({ pointer: '/rules/3/name', detail: 'is taken' }));
    const { user } = openDialog({ within: '/rules/3' });
    await user.click(saveButton());
    expect(await screen.findByText(/is taken/i)).toBeDefined();
  });

  it('shows a problem without a field below the form, and does not repeat a problem that its field shows', async () => {
    save.mockRejectedValue(
      refusedAt({ pointer: '/egress/allow/0', detail: 'is for operators' }, { pointer: '/name', detail: 'is taken' }),
    );
    const { user } = openDialog();
    await user.click(saveButton());
    const alert = await screen.findByRole('alert');
    expect(alert.textContent).toBe('the request has problemsegress.allow.0: is for operators');
    expect(screen.getByText(/is taken/i)).toBeDefined();
  });

  it('shows nothing below the form if the field of a list entry shows the problem', async () => {
    save.mockRejectedValue(refusedAt({ pointer: '/rules/3/name', detail: 'is taken' }));
    const { user } = openDialog({ within: '/rules/3' });
    await user.click(saveButton());
    await screen.findByText(/is taken/i);
    expect(screen.queryByRole('alert')).toBeNull();
  });

  it('shows problems without a field below the form', async () => {
    save.mockRejectedValue(refusedAt());
    const { user } = openDialog();
    await user.click(saveButton());
    expect((await screen.findByRole('alert')).textContent).toContain('the request has problems');
  });
});
