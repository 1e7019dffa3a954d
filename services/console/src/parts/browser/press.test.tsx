// @vitest-environment happy-dom
import { cleanup, fireEvent, render, screen } from '@testing-library/react';
import { memo, useState } from 'react';
import { flushSync } from 'react-dom';
import { afterEach, describe, expect, it } from 'vitest';
import { Check } from '../controls/controls.tsx';
import { isPressed, usePressed } from './press.ts';

interface FieldProps {
  checked: boolean;
  onCheck: (checked: boolean) => void;
  problem: string;
}

function Field({ checked, onCheck, problem }: FieldProps) {
  return (
    <>
      <Check checked={checked} onCheck={onCheck}>
        failed
      </Check>
      <p>{problem}</p>
    </>
  );
}

const HeldField = memo(Field, isPressed);

interface CountriesProps {
  countries: readonly string[];
  onAdd: () => void;
}

function Countries({ countries, onAdd }: CountriesProps) {
  return (
    <>
      <button type="button" onClick={onAdd}>
        Add
      </button>
      <output>{countries.join(', ')}</output>
    </>
  );
}

const HeldCountries = memo(Countries, isPressed);

function Page() {
  const [checked, setChecked] = useState(false);
  const [problem, setProblem] = useState('');
  const [countries, setCountries] = useState<readonly string[]>([]);
  usePressed();
  return (
    <>
      <input aria-label="Name" onBlur={() => setProblem('Required')} />
      <input aria-label="Country" onBlur={() => setCountries([...countries, 'VN'])} />
      <HeldField checked={checked} onCheck={setChecked} problem={problem} />
      <HeldCountries countries={countries} onAdd={() => setCountries([...countries, 'SG'])} />
    </>
  );
}

/** Renders waiting updates, as the microtasks between two listeners of a real click do. */
function renderWaiting(): void {
  flushSync(() => undefined);
}

function openPage(): HTMLElement {
  render(<Page />);
  for (const event of ['mouseup', 'click', 'input']) addEventListener(event, renderWaiting, true);
  return screen.getByRole('checkbox', { name: 'failed' });
}

function pressDown(control: HTMLElement): void {
  fireEvent.pointerDown(control);
  fireEvent.mouseDown(control);
}

function letGo(control: HTMLElement): void {
  fireEvent.pointerUp(control);
  fireEvent.mouseUp(control);
  fireEvent.click(control);
}

describe('a press of a pointer', () => {
  afterEach(() => {
    for (const event of ['mouseup', 'click', 'input']) removeEventListener(event, renderWaiting, true);
    cleanup();
  });

  it('checks a checkbox, and unchecks it again', () => {
    const box = openPage();
    for (const expected of [true, false, true]) {
      pressDown(box);
      letGo(box);
      expect(box).toHaveProperty('checked', expected);
    }
  });

  it('is followed by a click that works on the page as the loss of focus has changed it', () => {
    openPage();
    const button = screen.getByRole('button', { name: 'Add' });
    pressDown(button);
    fireEvent.blur(screen.getByLabelText('Country'));
    letGo(button);
    expect(screen.getByRole('status').textContent).toBe('VN, SG');
  });

  it('delays changes of the page until it is over', async () => {
    const box = openPage();
    pressDown(box);
    fireEvent.blur(screen.getByLabelText('Name'));
    expect(screen.queryByText('Required')).toBeNull();
    fireEvent.pointerCancel(box);
    await screen.findByText('Required');
  });
});
