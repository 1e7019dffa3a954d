import { useEffect, useMemo, useRef, useState, type RefObject } from 'react';
import type { CampaignForm } from '../../../parts/campaign/form.ts';
import { createFormKeeper, tabName, type FormKeeper } from './kept-form.ts';

const settleMs = 400;

export interface KeptFormState {
  form: CampaignForm;
  setForm: (change: (form: CampaignForm) => CampaignForm) => void;
  isChanged: boolean;
  /** Time at which the restored input was stored; null if none was restored. */
  restoredAtMs: number | null;
  startAnew: () => void;
  markSaved: () => void;
}

const wallClockMs = () => Date.now();

/** Keeps a form over reloads of this tab. @param saved initial form */
export function useKeptForm(saved: CampaignForm, campaignId: string): KeptFormState {
  const keeper = useMemo(() => createFormKeeper(localStorage, tabName(), campaignId, wallClockMs), [campaignId]);
  const [found] = useState(() => keeper.read());
  const [base, setBase] = useState(saved);
  const [form, setForm] = useState(found?.form ?? saved);
  const [restoredAtMs, setRestoredAtMs] = useState(found?.keptAtMs ?? null);
  const isChanged = useMemo(() => JSON.stringify(form) !== JSON.stringify(base), [form, base]);

  /** The form, if it has unsaved changes that are not stored yet. */
  const unkept = useRef<CampaignForm>(null);

  useEffect(() => {
    unkept.current = isChanged ? form : null;
    if (!isChanged) {
      keeper.forget();
      return;
    }
    const timer = setTimeout(() => keepNow(keeper, unkept), settleMs);
    return () => clearTimeout(timer);
  }, [form, base, isChanged, keeper]);

  // Stores the latest input when the user leaves the editor, by a link or by closing the page.
  useEffect(() => {
    const leave = () => keepNow(keeper, unkept);
    addEventListener('pagehide', leave);
    return () => {
      removeEventListener('pagehide', leave);
      leave();
    };
  }, [keeper]);

  const forget = () => {
    unkept.current = null;
    keeper.forget();
    setRestoredAtMs(null);
  };

  return {
    form,
    setForm,
    isChanged,
    restoredAtMs,
    startAnew: () => {
      forget();
      setForm(base);
    },
    markSaved: () => {
      forget();
      setBase(form);
    },
  };
}

function keepNow(keeper: FormKeeper, unkept: RefObject<CampaignForm | null>): void {
  if (unkept.current === null) return;
  keeper.keep(unkept.current);
  unkept.current = null;
}
