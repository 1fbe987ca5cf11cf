#!/usr/bin/env bash
# The Debian packages: what they hold and need, and a user's program built against their files alone. The manual page and
# the completion, which the program writes itself, know every command and option.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
wrong() { echo "WRONG: $*"; exit 1; }

# ---- manual page and completion
"$CAROM_PROGRAM" help | sed -n 's/^  carom \([a-z]*\) .*/\1/p' >"$folder/commands"
"$CAROM_PROGRAM" help --man >"$folder/carom.1"
"$CAROM_PROGRAM" help --bash >"$folder/carom.bash"
"$CAROM_PROGRAM" help --zsh >"$folder/_carom"
grep -qx run "$folder/commands" || wrong "no commands found in the help"
while read -r command; do
    if [ "$command" = help ]; then continue; fi
    "$CAROM_PROGRAM" help "$command" | sed -n 's/^  \(--[a-z-]*\).*/\1/p' >"$folder/options"
    grep -qF "\\fBcarom\\fR $command" "$folder/carom.1" || wrong "the manual page lacks $command"
    got=$(bash -c 'source "$1"; COMP_WORDS=(carom "$2" --) COMP_CWORD=2; _carom; printf "%s\n" "${COMPREPLY[@]}"' \
        _ "$folder/carom.bash" "$command")
    while read -r option; do
        grep -qF -- "\\fB${option//-/\\-}\\fR" "$folder/carom.1" || wrong "the manual page lacks $command $option"
        grep -qx -- "$option" <<<"$got" || wrong "bash does not complete $command $option"
        grep -qF -- "'*${option}[" "$folder/_carom" || wrong "zsh does not complete $command $option"
    done <"$folder/options"
done <"$folder/commands"
got=$(bash -c 'source "$1"; COMP_WORDS=(carom ru) COMP_CWORD=1; _carom; echo "${COMPREPLY[*]}"' _ "$folder/carom.bash")
[ "$got" = run ] || wrong "bash completes 'carom ru' to '$got'"
# What zsh's completion function hands on to zsh's own, for the words given.
zsh_offers() {
    zsh -f -c 'fpath=($1 $fpath) words=(carom "${@:2}") CURRENT=$#
        _arguments() { print -rl -- "$@" }
        _describe() { print -rl -- ${(P)2} }
        _files() { }
        autoload -Uz _carom; _carom' _ "$folder" "$@"
}
if command -v zsh >/dev/null; then
    grep -q '^run:' <<<"$(zsh_offers ru)" || wrong "zsh offers no commands: $(zsh_offers ru 2>&1)"
    grep -qF -- '*--resume[' <<<"$(zsh_offers run --)" || wrong "zsh offers run no --resume: $(zsh_offers run -- 2>&1)"
    ! grep -qF -- '*--resume[' <<<"$(zsh_offers plot --)" || wrong "zsh offers plot what is run's"
fi
if command -v man >/dev/null; then
    warnings=$(man --warnings -l "$folder/carom.1" 2>&1 >/dev/null || true)
    [ -z "$warnings" ] || wrong "man: $warnings"
fi

# ---- packages
if grep -qE '^(CAROM_SANITIZE:STRING=.|CMAKE_C_FLAGS:.*--coverage)' "$CAROM_BUILD/CMakeCache.txt"; then exit 77; fi
for tool in cpack dpkg-deb dpkg-shlibdeps; do
    command -v $tool >/dev/null || { echo "$tool is not there"; exit 77; }
done
cpack --config "$CAROM_BUILD/CPackConfig.cmake" -B "$folder/debs" >"$folder/log" 2>&1 ||
    { cat "$folder/log"; exit 1; }
version=$("$CAROM_PROGRAM" --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+')
grep -qx "version: $version" CITATION.cff || wrong "CITATION.cff names another version than $version"
field() { dpkg-deb -f "$folder/debs/$1"_*.deb "$2"; }
for package in libcarom0 libcarom-dev carom; do
    [ "$(field $package Package)" = $package ] || wrong "no package $package"
    [ "$(field $package Version)" = "$version" ] || wrong "$package has version $(field $package Version)"
    dpkg-deb -x "$folder/debs/$package"_*.deb "$folder/$package"
    dpkg-deb -x "$folder/debs/$package"_*.deb "$folder/root"
done
grep -q libklu <<<"$(field libcarom0 Depends)" || wrong "libcarom0 depends on '$(field libcarom0 Depends)'"
grep -qF "libcarom0 (= $version)" <<<"$(field libcarom-dev Depends)" || wrong "libcarom-dev does not fix libcarom0"
holds() { [ -n "$(find "$folder/$1/usr" -path "*/$2")" ] || wrong "$1 has no $2"; }
holds libcarom0 libcarom.so.0
holds libcarom-dev libcarom.so
holds libcarom-dev libcarom.a
holds libcarom-dev libcarom-tools.a
holds libcarom-dev include/carom/result.h
holds libcarom-dev include/carom/carom.h
holds libcarom-dev pkgconfig/carom.pc
holds libcarom-dev cmake/carom/carom-config.cmake
holds carom bin/carom
holds carom man/man1/carom.1
holds carom bash-completion/completions/carom
case "$(cat /etc/debian_version 2>/dev/null)" in
'') holds carom zsh/site-functions/_carom ;;
*) holds carom zsh/vendor-completions/_carom ;; # where Debian's zsh looks
esac
holds carom scenes/gallery/coin.yaml
[ -z "$(find "$folder/libcarom0" -name '*.h' -o -name '*.a' -o -name libcarom.so)" ] || wrong "libcarom0 has more"

# the Python package, if it was built, with the program of its package
python=$(sed -n 's/^CAROM_PYTHON_FOUND:INTERNAL=//p' "$CAROM_BUILD/CMakeCache.txt")
if [ -n "$python" ]; then
    dpkg-deb -x "$folder/debs/python3-carom"_*.deb "$folder/root"
    grep -qF "carom (= $version)" <<<"$(field python3-carom Depends)" || wrong "python3-carom does not fix carom"
    (cd "$folder" && env -u CAROM_BUILD PATH="$folder/root/usr/bin:$PATH" PYTHONPATH="$folder/root/usr/lib/python3/dist-packages" "$python" -c "
import carom, carom._program
assert carom.__file__.startswith('$folder') and carom._program.program() == '$folder/root/usr/bin/carom'
sim = carom.load('$folder/root/usr/share/carom/scenes/gallery/coin.yaml').simulation()
sim.step()") || wrong "the Python package does not work"
fi

# Where the libraries of the tools are missing, a project that can do without the tools is built all the same, and one that
# asks for them is told what is missing. Modules of carom.pc alone stand in for such a machine.
mkdir "$folder/modules" "$folder/needs"
cp "$folder"/root/usr/lib/*/pkgconfig/carom*.pc "$folder"/root/usr/lib/pkgconfig/carom*.pc "$folder/modules" 2>/dev/null || true
PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR="$folder/modules" cmake -S examples/c -B "$folder/bare" \
    -DCMAKE_PREFIX_PATH="$folder/root/usr" >/dev/null || wrong "without HDF5 no program can be built"
printf 'cmake_minimum_required(VERSION 3.22)\nproject(needs C)\nfind_package(carom REQUIRED COMPONENTS tools)\n' \
    >"$folder/needs/CMakeLists.txt"
PKG_CONFIG_PATH='' PKG_CONFIG_LIBDIR="$folder/modules" cmake -S "$folder/needs" -B "$folder/needs/build" \
    -DCMAKE_PREFIX_PATH="$folder/root/usr" >"$folder/log" 2>&1 && wrong "carom::tools is there without HDF5"
grep -q 'carom::tools needs' "$folder/log" || wrong "it is not said what carom::tools needs: $(cat "$folder/log")"

cmake -S examples/c -B "$folder/user" -DCMAKE_PREFIX_PATH="$folder/root/usr" >/dev/null
cmake --build "$folder/user" >/dev/null
grep -q "libcarom.so.0 => $folder/root" <<<"$(ldd "$folder/user/ball_row")" || wrong "the program uses another library"
"$folder/user/ball_row"
"$folder/root/usr/bin/carom" run "$folder/root/usr/share/carom/scenes/gallery/coin.yaml" --out none --quiet --set run.until=0.01
