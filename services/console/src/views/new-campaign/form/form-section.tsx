import type { ReactNode } from 'react';
import type { Section } from './problem-places.ts';
import { sectionNames } from './problem-places.ts';

interface FormSectionProps {
  section: Section;
  number: number;
  note: string;
  children: ReactNode;
}

export function FormSection({ section, number, note, children }: FormSectionProps) {
  return (
    <section
      className="panel scroll-mt-16 focus:outline-none phone:[&>header_.t3]:basis-full"
      id={section}
      aria-labelledby={`${section}-title`}
      tabIndex={-1}
    >
      <header>
        <span className="ava rounded-full" aria-hidden="true">
          {number}
        </span>
        <h2 id={`${section}-title`}>{sectionNames[section]}</h2>
        <span className="t3 sm">{note}</span>
      </header>
      <div className="pad grid gap-3.5 px-4 pt-3.5 pb-4 *:min-w-0">{children}</div>
    </section>
  );
}
