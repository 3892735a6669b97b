grep -q "return a + b" sum.js && exit 0
echo "sum.js: add(1, 2) is not 3"
exit 1
