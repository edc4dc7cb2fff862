"""PDF files with text and nothing else."""

WORDS = "the quick brown fox jumps over the lazy dog while queued rows wait for a worker to claim them".split()


def text_pdf(lines_of_pages):
    """A page for each number, with so many lines of 12 words; 60 fill a page. Bytes."""
    count = len(lines_of_pages)
    objects = ["<< /Type /Catalog /Pages 2 0 R >>",
               f"<< /Type /Pages /Count {count} /Kids [{' '.join(f'{4 + 2 * i} 0 R' for i in range(count))}] >>",
               "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>"]
    for page, lines in enumerate(lines_of_pages):
        text = "".join(f"({' '.join(WORDS[(page + line + w) % len(WORDS)] for w in range(12))}) Tj 0 -12 Td\n"
                       for line in range(lines))
        content = f"BT /F1 9 Tf 40 800 Td\n{text}ET"
        objects.append(f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Contents {5 + 2 * page} 0 R"
                       " /Resources << /Font << /F1 3 0 R >> >> >>")
        objects.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    out, begins = "%PDF-1.4\n", []
    for number, each in enumerate(objects, 1):
        begins.append(len(out))
        out += f"{number} 0 obj\n{each}\nendobj\n"
    table = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n" + "".join(f"{at:010d} 00000 n \n" for at in begins)
    out += f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{table}\n%%EOF\n"
    return out.encode("ascii")
