"""Layers for tests, and CoNLL-U with what makes it difficult: a range, an empty node, no parse."""

from crosspro.data_prep.annotate.files import conllu_text
from crosspro.data_prep.core.files import write_text
from crosspro.data_prep.formats.chains import chains_text


def write_conllu(path, sentences):
    write_text(path, "".join(map(conllu_text, sentences)))


def write_chains(path, rows):
    write_text(path, chains_text(rows))


SAMPLE = """\
# newdoc id = park
# sent_id = park-1
# text = Il parle du chien.
1\tIl\til\tPRON\t_\tPerson=3\t2\tnsubj\t_\t_
2\tparle\tparler\tVERB\t_\t_\t0\troot\t_\t_
3-4\tdu\t_\t_\t_\t_\t_\t_\t_\tSpaceAfter=Yes
3\tde\tde\tADP\t_\t_\t5\tcase\t_\t_
4\tle\tle\tDET\t_\t_\t5\tdet\t_\t_
5\tchien\tchien\tNOUN\t_\t_\t2\tobl\t_\tSpaceAfter=No
5.1\trien\trien\tPRON\t_\t_\t_\t_\t2:obj\t_
6\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_

# sent_id = park-2
1\tOui\toui\tINTJ\t_\t_\t_\t_\t_\t_

# newdoc id = mer
1\tNon\tnon\tINTJ\t_\t_\t0\troot\t_\t_
"""
