import type { ReactNode } from 'react';
import type { Section } from '../review/problem-places.ts';
import { sectionNames } from '../review/problem-places.ts';
import styles from '../new-campaign.module.css';

interface FormSectionProps {
  section: Section;
  number: number;
  note: string;
  children: ReactNode;
}

/** One of the four parts of the page; the rail leads to it. */
export function FormSection({ section, number, note, children }: FormSectionProps) {
  return (
    <section className={`panel ${styles['section']}`} id={section} aria-labelledby={`${section}-title`} tabIndex={-1}>
      <header>
        <span className={`ava ${styles['number']}`} aria-hidden="true">
          {number}
        </span>
        <h2 id={`${section}-title`}>{sectionNames[section]}</h2>
        <span className="t3 sm">{note}</span>
      </header>
      <div className={`pad ${styles['body']}`}>{children}</div>
    </section>
  );
}
