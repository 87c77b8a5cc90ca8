# SPDX-FileCopyrightText: The Tessera authors
# SPDX-License-Identifier: MIT
#
# What Doxygen reads of a header, line for line. One comment of ours may be about several names, but
# Doxygen takes it for one of them:
#
#   int rows = 0, columns = 0;  ///< of the matrix        every declarator gets the comment
#   /// Reads a model.                                    so does each further overload in the same
#   result<model> read(bytes source);                     class or namespace that has none itself
#   result<model> read(std::string_view source);
#   friend bool operator==(const T&, const T&) = default; is what it says
#
# And the inline namespace, whose name is made by a macro, is part of tessera. Specializations of
# variables aren't names of their own, and a destructor says nothing that its constructors do. A macro
# that is defined inside an enumeration, to make its names, would be one of them: it comes before.

use strict;
use warnings;

# How a name of a list is initialized: = 1 << 20, = std::uint64_t{1} << 20, = {}, or its bits.
my $value = qr/\ =\ (?:[^,;(){}]|\{\d+\})+|\ =\ \{\}|\ :\ \d+/;
my ($block, %doc) = ('');  # the comment above this line, and those of the functions of this class
my ($held, @ahead) = ('');  # the lines of that comment, and lines that were read too early
my $goes_on = 0;            # whether the line before ends within a condition

while (defined(my $line = shift @ahead // <>)) {
  $line =~ s/^namespace tessera::inline TESSERA_ABI/namespace tessera/;
  if ($line =~ m{^\s*///(?!<)\s?(.*)$}) {
    $block .= "$1 " unless $1 =~ /^\@[{}]/;
    $held .= $line;
    next;
  }
  if ($line =~ /^template <>$|^ *enum .*\{$/) {
    push @ahead, <> // '';
    if ($ahead[0] =~ /^inline constexpr /) {
      $line = "\n";
      $ahead[0] = "\n";
    } elsif ($ahead[0] =~ /^#define TESSERA_X/) {
      print shift @ahead;
    }
  }
  # A list of names may go on in the next lines, which then are empty for Doxygen.
  my $rest = '';
  while ($line =~ /^\s*[\w: ]+ \w+[^(){}\/]*,$/ && defined(my $more = <>)) {
    chomp $line;
    $more =~ s/^\s*/ /;
    $line .= $more;
    $rest .= "\n";
  }
  %doc = () if $line =~ /^\s*(struct|class|enum|namespace)\b.*\{$|^\s*\};/;
  my $own = $line =~ m{///<\s*(.*)$} ? $1 : '';
  my $text = $own || $block;
  $text =~ s{\*/}{* /}g;
  if ($line =~ m/^(\s*)((?:(?:static|constexpr|inline|mutable|const|unsigned)\ )*[\w:]+(?:<[^()=;]*>)?[*&]?\ )
                 (\w+(?:$value)?(?:,\ \w+(?:$value)?)+);/x
      && $text ne '') {
    my ($indent, $type, @names) = ($1, $2, split /, /, $3);
    $line = $indent . join(' ', map { "$type$_; /**< $text */" } @names) . "\n";
    $held =~ tr/\n//cd unless $own ne '' || $held =~ /\@[{}]/;  # else the first name has it twice
  } elsif ($text eq '' && $line =~ /^\s*friend .*\boperator==\(.*\) = default;/) {
    $line =~ s{$}{  ///< equal member by member};
  } elsif ($line !~ m{^\s*(//|#|return\b|\})} && $line =~ /(operator *\S+?|\w+)\(/) {
    my $name = $1;
    if ($text ne '') {
      $doc{$name} //= $text;
    } elsif (exists $doc{$name} && $line !~ /= delete;|~/) {
      $line =~ s{^(\s*)}{$1/** $doc{$name} */ };
    }
  }
  print $held, $line, $rest;
  $held = '';
  $block = '' unless $goes_on || $line =~ /^\s*(template\b|requires\b)/;
  $goes_on = $line =~ /(&&|\|\|)$/;
}
print $held;
